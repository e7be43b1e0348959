from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.bank import catalog
from hotloop.learn.bank.catalog import CatalogEntry

Ask = Callable[..., CatalogEntry]


@pytest.fixture
def general(tree: Path, ask: Ask) -> Callable[..., None]:
    """Adds the module's question to tracks as well, under other ids."""
    ask()
    text = (tree / "first" / "questions.yaml").read_text(encoding="utf-8")
    (plain,) = yaml.safe_load(text)["questions"]

    def written(track: str, **changes: Any) -> None:
        path = tree / "questions" / f"{track}.yaml"
        path.parent.mkdir(exist_ok=True)
        path.write_text(yaml.safe_dump({"questions": [plain | changes]}, sort_keys=False))
        catalog.catalog.cache_clear()

    return written


def test_questions_come_track_by_track_and_modules_first(general: Callable[..., None]) -> None:
    general("b", id="of_b", links=[])
    general("a", id="of_a", links=[])
    found = catalog.catalog()
    assert [entry.key for entry in found] == ["first.bytes_of_a_batch", "a.of_a", "b.of_b"]
    assert [(entry.track, entry.module) for entry in found] == [
        ("a", "first"),
        ("a", None),
        ("b", None),
    ]


def test_an_id_is_there_once_in_the_whole_bank(general: Callable[..., None]) -> None:
    general("b", links=[])
    with pytest.raises(CurriculumError, match=r"b\.bytes_of_a_batch has the id of first\.bytes"):
        catalog.catalog()


def test_a_question_is_found_by_its_key_and_by_its_id(ask: Ask) -> None:
    entry = ask()
    assert catalog.find("first.bytes_of_a_batch") == catalog.find("bytes_of_a_batch") == entry
    with pytest.raises(KeyError, match="no question 'batch'"):
        catalog.find("batch")


def test_a_task_is_practised_by_those_that_link_to_it(general: Callable[..., None]) -> None:
    general("b", id="of_b", links=["first.task", "first.other"])
    assert [e.key for e in catalog.related("first.task")] == ["first.bytes_of_a_batch", "b.of_b"]
    assert [e.key for e in catalog.related("first.other")] == ["b.of_b"]
    assert catalog.related("first.none") == ()


def test_a_modules_question_links_to_a_task(ask: Ask) -> None:
    with pytest.raises(CurriculumError, match=r"questions\.yaml:2: a module's question links"):
        ask(links=[])


def test_a_module_without_questions_has_none(tree: Path) -> None:
    assert catalog.of_module("first") == []
    assert catalog.catalog() == ()


def test_proofs_come_with_source_and_recorded_output(tree: Path, ask: Ask) -> None:
    folder = tree / "first" / "proofs"
    folder.mkdir()
    (folder / "one.py").write_text("print(1)\n")
    (folder / "two.py").write_text("print(2)\n")
    (folder / "two.txt").write_text("2\n")
    one, two = ask(proofs=["proofs/one.py", "proofs/two.py"]).proofs
    assert (one.source, one.output) == ("print(1)\n", None)
    assert (two.source, two.output) == ("print(2)\n", "2\n")
    with pytest.raises(CurriculumError, match=r"there is no program proofs/three\.py"):
        ask(proof="proofs/three.py")
