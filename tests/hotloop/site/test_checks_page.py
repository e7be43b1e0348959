"""The page of mutants hides none that passed."""

import json
from pathlib import Path
from typing import Any

import pytest

from hotloop.site import checks_page, runs


def row(name: str, passed: int, why: str = "", unbuilt: int = 0) -> dict[str, Any]:
    return {
        "id": name,
        "module": "m",
        "task": "t",
        "kind": "mutant",
        "operator": "wrong constant",
        "language": "Python",
        "shown": ["a < 4", f"a < {name}"],
        "judged": 10,
        "passed": passed,
        "unbuilt": unbuilt,
        "why_right": why,
        "code": "earlier",
    }


def recorded(folder: Path, *rows: dict[str, Any]) -> str:
    document = {"device": "D", "date": "2026-01-01", "answers": rows}
    (folder / "mutants.json").write_text(json.dumps(document))
    return checks_page.page(folder)


def test_nothing_recorded_is_not_measured(tmp_path: Path) -> None:
    assert runs.NOT_MEASURED in checks_page.page(tmp_path)


def test_wrong_ones_are_counted_and_right_ones_have_their_reason(tmp_path: Path) -> None:
    page = recorded(tmp_path, row("5", 0), row("6", 10, "It only pads."), row("7", 0, unbuilt=10))
    assert "1 operators, 2 mutants" in page
    assert "1 are wrong; 0 of them passed" in page
    assert "It only pads." in page
    assert "| wrong constant | 2 | 0 | 1 | 1 | 1 | 0 | 0 |" in page
    assert "Wrong mutants that passed" not in page


def test_one_that_needs_a_gpu_is_called_neither_right_nor_wrong(tmp_path: Path) -> None:
    page = recorded(tmp_path, row("5", 10, "Needs a GPU, as it builds nothing without one."))
    assert "0 are wrong" in page
    assert "| wrong constant | 1 | 1 | 0 | 0 | 0 | 0 | 0 |" in page
    assert page.index("only a GPU can show") < page.index("it builds nothing")


def test_a_wrong_one_that_passed_is_shown(tmp_path: Path) -> None:
    page = recorded(tmp_path, row("5", 3))
    assert "1 of them passed at least once" in page
    assert "passed 3 of 10" in page
    assert "<code>a &lt; 5</code>" in page


@pytest.mark.slow
def test_tasks_without_judged_mutants_are_listed(tmp_path: Path) -> None:
    """And those whose mutants were judged with other code."""
    page = recorded(tmp_path, {**row("5", 0), "module": "ssa_passes", "task": "to_ssa"})
    assert "- `ssa_passes.to_ssa`: judged with an earlier version of its module" in page
    assert f"- `fused_softmax.online_pass`: {runs.NOT_MEASURED}" in page


def test_refused_right_answers_are_counted_and_named(tmp_path: Path) -> None:
    counts = {"answers": 1, "judged": 20, "refused": 1, "per_1000": 50.0, "unmeasured": 0}
    answer = {"name": "m/t_style", "refused": 1, "judged": 20, "sentences": ["correct: wrong"]}
    document = {
        "device": "a CPU",
        "date": "2026-01-01",
        "modules": {"m": counts},
        "all": counts,
        "answers": [answer],
    }
    (tmp_path / "right_answers.json").write_text(json.dumps(document), encoding="utf-8")
    text = checks_page.page(tmp_path)
    assert "| m | 1 | 20 | 1 | 50.0 |" in text
    assert "`m/t_style`: refused 1 of 20: correct: wrong" in text
