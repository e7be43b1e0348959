from pathlib import Path
from typing import Any

import pytest
import yaml

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank.guides import guides

GUIDE: dict[str, Any] = {
    "id": "what_is_tir",
    "guide": "A guide",
    "asks": "What is it?",
    "covered_by": ["tvm_passes.at_which_level_is_tir"],
}


def _write(tree: Path, *found: dict[str, Any]) -> None:
    (tree / "questions").mkdir(exist_ok=True)
    (tree / "questions" / "guides.yaml").write_text(yaml.safe_dump({"questions": list(found)}))


def test_what_guides_ask_is_read(tree: Path) -> None:
    assert guides() == ()
    correction = {"usual": "high", "right": "low", "proof": "tvm_passes/proofs/names_of_today.py"}
    _write(tree, GUIDE | {"corrections": [correction]})
    (guide,) = guides()
    assert guide.covered_by == ["tvm_passes.at_which_level_is_tir"]
    assert guide.corrections[0].right == "low"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"covered_by": []}, "covered_by"),
        ({"covered_by": ["a question"]}, "covered_by"),
        ({"corrections": [{"usual": "u", "right": "r"}]}, "names a `proof` or a `source`"),
        ({"corrections": [{"usual": "u", "right": "r", "source": "a book"}]}, "source"),
        ({"corrections": [{"usual": "u", "right": "r", "proof": "../x.py"}]}, "proof"),
    ],
)
def test_a_faulty_one_is_refused(tree: Path, changes: dict[str, Any], words: str) -> None:
    _write(tree, GUIDE | changes)
    with pytest.raises(CurriculumError, match=words):
        guides()


def test_an_id_is_there_once(tree: Path) -> None:
    _write(tree, GUIDE, GUIDE)
    with pytest.raises(CurriculumError, match="is there twice"):
        guides()
