"""Which rows tests/benchmarks/variants.py stores."""

import json
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "variants.py"


@pytest.fixture
def bench(
    load_file: Callable[[Path], ModuleType], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> ModuleType:
    """The script, with a result file of its own that has a row of eight variants."""
    module = load_file(SCRIPT)
    result = tmp_path / "variants.json"
    monkeypatch.setattr(module, "RESULT", result)
    result.write_text(json.dumps(module.kept([row(0, 8)])), encoding="utf-8")
    return module


def row(first: int, variants: int, **other: Any) -> dict[str, Any]:
    right = {
        "reference_as_in_the_plain_module": f"{variants} of {variants}",
        "wrong_answers_as_in_the_plain_module": f"{3 * variants - 1} of {3 * variants}",
        "another_candidates_answer_fails": f"{variants} of {variants}",
        "public_solution_fails": "—",
    }
    facts = {"task": "m.t", "choices": 1, "code": "c", "by": "j", "date": "2026-11-23"}
    return {**facts, **right, "first": first, "variants": variants, **other}


def test_a_row_that_goes_on_is_added(bench: ModuleType) -> None:
    (found,) = bench.kept([row(8, 42)])["rows"]
    assert found["variants"] == 50
    assert found["reference_as_in_the_plain_module"] == "50 of 50"
    assert found["wrong_answers_as_in_the_plain_module"] == "148 of 150"
    assert found["public_solution_fails"] == "—"
    assert "first" not in found


@pytest.mark.parametrize(
    "other", [row(8, 42, code="d"), row(8, 42, by="k"), row(7, 43), row(9, 50), row(0, 7)]
)
def test_a_row_of_something_else_is_not(bench: ModuleType, other: dict[str, Any]) -> None:
    (found,) = bench.kept([other])["rows"]
    assert found["variants"] == 8


def test_a_row_from_the_start_comes_in_place_of_one_of_fewer(bench: ModuleType) -> None:
    (found,) = bench.kept([row(0, 9, code="d")])["rows"]
    assert (found["variants"], found["code"]) == (9, "d")


def test_a_row_that_begins_later_is_kept_only_behind_another(bench: ModuleType) -> None:
    assert len(bench.kept([row(8, 8, task="m.other")])["rows"]) == 1
