"""A hand-in without an answer earns nothing, leaves nothing open, and gets a note that says why."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from typer.testing import CliRunner

from hotloop.cli import app
from hotloop.judge.notebook_repair import NOTHING_RELEASED
from hotloop.worker.notebook import MAX_NOTEBOOK

pytestmark = pytest.mark.slow

Change = Callable[[dict[str, Any]], None]


def each(notebook: dict[str, Any], change: Change) -> dict[str, Any]:
    changed = copy.deepcopy(notebook)
    for cell in changed["cells"]:
        change(cell)
    return changed


def retyped(kind: str) -> Change:
    def change(cell: dict[str, Any]) -> None:
        cell["cell_type"] = kind
        cell.pop("outputs", None)
        cell.pop("execution_count", None)

    return change


def emptied(cell: dict[str, Any]) -> None:
    if cell["metadata"].get("nbgrader"):
        cell["source"] = ""


def without_answers(make: SimpleNamespace) -> dict[str, tuple[Any, str]]:
    """Return hand-ins by name, and the text in each one's note ("" for no note)."""
    exercise = json.loads(json.dumps(make.lab("...", "...")))
    right = json.loads(json.dumps(make.lab()))
    hello = {"cell_type": "markdown", "id": "x", "metadata": {}, "source": "Hello."}
    other = json.dumps(make.lab("42", explain="Because.")).replace("tiny.", "large.")
    return {
        "untouched": (exercise, ""),
        "raw_cells": (each(right, retyped("raw")), "is a raw cell, which is not run"),
        "text_cells": (each(right, retyped("markdown")), "is a markdown cell, which is not run"),
        "emptied": (each(exercise, emptied), ""),
        "no_cells": ({**exercise, "cells": []}, "The notebook is empty"),
        "one_raw_cell": ({**exercise, "cells": [{**hello, "cell_type": "raw"}]}, NOTHING_RELEASED),
        "one_text_cell": ({**exercise, "cells": [hello]}, NOTHING_RELEASED),
        "other_module": (other.encode(), "This is the notebook of large: it calls check('large."),
        "no_json": (b'{"cells": [', "it is not valid JSON"),
        "no_notebook": (b"42", "it is JSON, but not a notebook"),
        "too_large": (b" " * (MAX_NOTEBOOK + 1), "longer than 16 MiB"),
        "nothing": (None, "No notebook was handed in"),
    }


@pytest.fixture
def graded(course: Any, make: SimpleNamespace) -> SimpleNamespace:
    """All hand-ins in one batch; the file that a task asks for is untouched, empty or missing."""
    cases = without_answers(make)
    for number, (name, (notebook, _)) in enumerate(cases.items()):
        folder: Path = course.submit(name, notebook, {"work.py": ""})
        if number % 3 == 1:
            (folder / "work.py").unlink()
        if number % 3 == 2:
            (folder / "work.py").write_text("def work():\n    return 0\n")
    return SimpleNamespace(course=course, cases=cases, graded=course.grade())


def test_none_earns_a_point_and_each_is_told_why(graded: SimpleNamespace) -> None:
    batch = graded.graded
    assert batch.problems == {}
    earned = {(r.student, r.task): (r.points, r.pending) for r in batch.results}
    assert len(earned) == 4 * len(graded.cases)
    # Beside an empty written answer there is text, which a person reads: nothing is earned yet.
    texts = {(name, "explain") for name in graded.cases if name.endswith(("raw_cell", "raw_cells"))}
    texts |= {
        (name, "explain") for name in graded.cases if name.endswith(("text_cell", "text_cells"))
    }
    others = {key: points for key, points in earned.items() if points != (0.0, 0.0)}
    assert others == dict.fromkeys(texts, (0.0, 6.0))
    assert all(r.sentence for r in batch.results)
    for name, (_, said) in graded.cases.items():
        notes = batch.notes.get(f"{name}/tiny", [])
        assert any(said in note for note in notes) or not said, (name, notes)
    # The learner sees the same as the instructor.
    page = graded.course.page("other_module")
    assert "This is the notebook of large" in page
    assert "Expected the notebook of tiny: use that one." in page


def test_an_unknown_learner_is_named_with_those_that_there_are(course: Any) -> None:
    for name in ("alice", "bob"):
        course.submit(name, b"{}")
    said = CliRunner().invoke(
        app, ["course", "grade", "--course", str(course.root), "--student", "alicia", "--json"]
    )
    assert said.exit_code == 2, said.output
    assert "There is no learner called 'alicia'" in said.output
    assert "did you mean alice?" in said.output
    said = CliRunner().invoke(
        app, ["course", "grade", "--course", str(course.root), "--student", "zoe", "--json"]
    )
    assert "there are: alice, bob." in said.output
