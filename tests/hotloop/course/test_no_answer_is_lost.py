"""Whatever an editor does to a notebook, an answer in it is judged, or a person is asked.

Notebooks with right answers are drawn with cells that were split, merged, copied, moved, deleted
and retyped, with names and ids gone. They are repaired, and run as a kernel would.
"""

import copy
import json
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_markdown_cell

from hotloop.course.formgrader.totals import needs_a_person
from hotloop.course.gradebook import read
from hotloop.course.repair import RepairedNotebook, repair
from hotloop.judge.notebook_matching import as_python, binds, words
from hotloop.judge.notebook_release import Release, of_files

Cells = list[dict[str, Any]]


def tagged(grade_id: str, *, grade: bool, solution: bool, points: int = 0) -> dict[str, Any]:
    locked = grade and not solution
    marks = {"grade_id": grade_id, "grade": grade, "solution": solution, "locked": locked}
    more = {"points": points} if points else {}
    return {"nbgrader": {"schema_version": 3, "task": False, **marks, **more}}


def cell(kind: str, source: str, metadata: Any = None) -> dict[str, Any]:
    return {"cell_type": kind, "source": source, "metadata": metadata or {}, "id": ""}


def answer(name: str, source: str) -> dict[str, Any]:
    text = f"### TASK m.{name}\n{source}"
    return cell("code", text, tagged(f"{name}_solution", grade=False, solution=True))


def check(name: str) -> dict[str, Any]:
    metadata = tagged(name, grade=True, solution=False, points=4)
    return cell("code", f'check("m.{name}")', metadata)


def essay(name: str, source: str) -> dict[str, Any]:
    metadata = tagged(name, grade=True, solution=True, points=6)
    return cell("markdown", f"### TASK m.{name}\n{source}", metadata)


RIGHT = {name: f"def {name}(x):\n    return ({name!r}, x)" for name in ("once", "twice", "thrice")}
ESSAYS = {
    "why": "Because memory is the limit, as alphaword says.",
    "how": "With fewer passes, and betaword beside them.",
}
PLACEHOLDER = "*Write your answer here.*"


def stub(name: str) -> str:
    return f"def {name}(x):\n    raise NotImplementedError"


def notebook(code: Callable[[str], str], words: Callable[[str], str]) -> Cells:
    cells = [
        cell("markdown", "# Lab"),
        cell("code", "from hotloop import check"),
        answer("once", code("once")),
        check("once"),
        cell("markdown", "## Two parts"),
        answer("twice", code("twice")),
        answer("thrice", code("thrice")),
        check("both"),
        check("of_a_file"),
        essay("why", words("why")),
        essay("how", words("how")),
    ]
    for number, one in enumerate(cells):
        one["id"] = one["metadata"].get("nbgrader", {}).get("grade_id", f"cell-{number}")
    return cells


def file(cells: Cells) -> bytes:
    metadata = {"kernelspec": {"name": "python3", "display_name": "Python 3"}}
    return json.dumps(
        {"nbformat": 4, "nbformat_minor": 5, "metadata": metadata, "cells": cells}
    ).encode()


RELEASED = notebook(stub, lambda _: PLACEHOLDER)
JUDGED = {"once": ["once"], "both": ["twice", "thrice"]}


def release() -> Release:
    return of_files("m", {"lab.ipynb": file(RELEASED)}, [])


def answered() -> Cells:
    return notebook(lambda name: RIGHT[name], lambda name: ESSAYS[name])


@dataclass(frozen=True)
class Edit:
    """One thing that an editor does. place, to: shares of the notebook's length."""

    what: str
    place: float
    to: float

    def apply(self, cells: Cells) -> None:
        if not cells:
            return
        here = int(self.place * len(cells))
        there = int(self.to * (len(cells) + 1))
        EDITS[self.what](cells, here, there)


def split(cells: Cells, here: int, there: int) -> None:
    """Split Cell keeps the metadata in both halves; code is split between statements."""
    lines = cells[here]["source"].split("\n")
    starts = [i for i, line in enumerate(lines) if i and line and not line.startswith((" ", "#"))]
    second = copy.deepcopy(cells[here])
    if not starts:
        second["source"] = ""
    else:
        at = starts[there % len(starts)]
        cells[here]["source"] = "\n".join(lines[:at])
        second["source"] = "\n".join(lines[at:])
    cells.insert(here + 1, second)


def merge(cells: Cells, here: int, there: int) -> None:
    """Merge Cell Below keeps the first cell's metadata and kind."""
    if here + 1 < len(cells) and cells[here]["cell_type"] == cells[here + 1]["cell_type"]:
        cells[here]["source"] += "\n\n" + cells.pop(here + 1)["source"]


def copied(cells: Cells, here: int, there: int) -> None:
    cells.insert(there, copy.deepcopy(cells[here]))


def copied_empty(cells: Cells, here: int, there: int) -> None:
    cells.insert(there, {**copy.deepcopy(cells[here]), "source": " \n"})


def copied_as_released(cells: Cells, here: int, there: int) -> None:
    cells.insert(there, copy.deepcopy(RELEASED[here % len(RELEASED)]))


def moved(cells: Cells, here: int, there: int) -> None:
    one = cells.pop(here)
    cells.insert(min(there, len(cells)), one)


def deleted(cells: Cells, here: int, there: int) -> None:
    del cells[here]


def retyped(cells: Cells, here: int, there: int) -> None:
    cells[here]["cell_type"] = ["code", "markdown", "raw"][there % 3]


def unnamed(cells: Cells, here: int, there: int) -> None:
    cells[here]["metadata"] = {}
    cells[here].pop("id", None)


def all_unnamed(cells: Cells, here: int, there: int) -> None:
    for place in range(len(cells)):
        unnamed(cells, place, 0)


def other_metadata(cells: Cells, here: int, there: int) -> None:
    for one in cells:
        one["metadata"] = {"vscode": {"languageId": "python"}}


def outside(cells: Cells, here: int, there: int) -> None:
    """The answer is in a new cell, and its own cell is as it was handed out."""
    own = cell(cells[here]["cell_type"], cells[here]["source"])
    grade_id = cells[here]["metadata"].get("nbgrader", {}).get("grade_id")
    for one in RELEASED:
        if one["metadata"] and one["metadata"]["nbgrader"]["grade_id"] == grade_id:
            cells[here]["source"] = one["source"]
    cells.insert(there, own)


def below_the_title(cells: Cells, here: int, there: int) -> None:
    """The answer is written below a text that was handed out."""
    if cells[here]["cell_type"] == "markdown":
        for one in cells:
            if (
                one["source"].startswith("#")
                and one["cell_type"] == "markdown"
                and not one["metadata"]
            ):
                one["source"] += "\n\n" + cells[here]["source"]
                cells[here]["source"] = ""
                return


def noise(cells: Cells, here: int, there: int) -> None:
    cells.insert(there, cell("code", "seen = [n * n for n in range(9)]"))


def typed_into_the_check(cells: Cells, here: int, there: int) -> None:
    """Code is written into the cell of the check, above it."""
    checks = [one for one in cells if one["source"].startswith("check(")]
    if checks and cells[here]["cell_type"] == "code" and cells[here] is not checks[0]:
        checks[there % len(checks)]["source"] = cells.pop(here)["source"] + "\n\ncheck('m.once')"


EDITS: dict[str, Callable[[Cells, int, int], None]] = {
    each.__name__: each
    for each in (
        split,
        merge,
        copied,
        copied_empty,
        copied_as_released,
        moved,
        deleted,
        retyped,
        unnamed,
        all_unnamed,
        other_metadata,
        outside,
        below_the_title,
        noise,
        typed_into_the_check,
    )
}
SHARES = st.integers(0, 99).map(lambda n: n / 100)
EDITED = st.lists(st.builds(Edit, st.sampled_from(sorted(EDITS)), SHARES, SHARES), max_size=5)


def verdicts(result: RepairedNotebook) -> dict[str, bool]:
    """Run the notebook's cells in order, and judge each task where its check is."""
    namespace: dict[str, Any] = {}
    right: dict[str, bool] = {}
    for one in result.notebook.cells:
        if one.cell_type != "code":
            continue
        grade_id = one.metadata.get("nbgrader", {}).get("grade_id", "")
        if grade_id in JUDGED:
            right[grade_id] = all(is_right(namespace.get(name), name) for name in JUDGED[grade_id])
        elif not grade_id or grade_id.endswith("_solution"):
            try:
                exec(one.source.replace("from hotloop import check", "check = str"), namespace)
            except Exception:  # noqa: BLE001 - as in a kernel, the next cell still runs
                continue
    return right


def is_right(function: Any, name: str) -> bool:
    try:
        return bool(function(3) == (name, 3))
    except Exception:  # noqa: BLE001 - a drawn notebook may define anything
        return False


def has_right(cells: Cells, name: str, *, code: bool) -> bool:
    """Whether a cell, of any kind or of code, defines the name right and none undoes it.

    What was handed out undoes it in a cell with something else.
    """
    given = {words(one["source"]) for one in RELEASED}
    if any(stub(name) in one["source"] and words(one["source"]) not in given for one in cells):
        return False
    return any(
        name in binds(one["source"])
        and f"return ({name!r}, x)" in one["source"]
        and (not code or one["cell_type"] == "code")
        and as_python(one["source"]) is not None
        for one in cells
    )


def check_kept(cells: Cells) -> None:
    """Check that every answer in the cells is judged right, shown to a person, or asked for."""
    result = repair(file(cells), release())
    nbformat.validate(result.notebook)
    by_id: dict[str, Any] = {}
    for one in result.notebook.cells:
        grade_id = one.metadata.get("nbgrader", {}).get("grade_id", "")
        assert grade_id not in by_id or not grade_id
        by_id[grade_id] = one
    assert {"once", "both", "of_a_file", "why", "how"} <= set(by_id)
    right = verdicts(result)
    for task, names in JUDGED.items():
        if all(has_right(cells, name, code=True) for name in names):
            assert right[task], task
        elif all(has_right(cells, name, code=False) for name in names):
            assert right[task] or task in result.persons, task
    everything = json.dumps(cells)
    shown = json.dumps(result.notebook)
    for name, text in ESSAYS.items():
        word = "alphaword" if name == "why" else "betaword"
        changed = by_id[name].source != essay(name, PLACEHOLDER)["source"]
        if word in everything:
            assert word in shown
            assert changed, text
        if not any(w in everything for w in ("alphaword", "betaword", "return (")):
            assert not changed


@pytest.mark.slow
@settings(max_examples=2000, deadline=None)
@given(EDITED)
def test_what_an_editor_does_loses_no_answer(edits: list[Edit]) -> None:
    cells = answered()
    for edit in edits:
        edit.apply(cells)
    if cells:
        check_kept(cells)


@pytest.mark.parametrize("what", sorted(EDITS))
def test_one_edit_at_every_place_loses_no_answer(what: str) -> None:
    for here in range(len(RELEASED)):
        for there in (0, 3, len(RELEASED)):
            cells = answered()
            EDITS[what](cells, here, there)
            check_kept(cells)


@pytest.mark.slow
def test_a_person_is_asked_about_code_that_is_not_run_and_nothing_is_pending(
    course: Any, make: SimpleNamespace
) -> None:
    retyped = make.lab()
    retyped.cells[2].update(cell_type="markdown", source="def answer() returns 42, I think")
    course.submit("ada", retyped)
    course.submit("bob", make.lab("..."))
    deleted = make.lab()
    del deleted.cells[2]
    course.submit("cy", deleted)
    graded = course.grade()
    assert "a person looks at it" in graded.notes["ada/tiny"][0]

    def asked(gradebook: Any) -> dict[str, tuple[float | None, bool]]:
        wanted = [("lab", "tiny", student) for student in ("ada", "bob", "cy")]
        found = {each[2]: gradebook.find_grade("answer", *each) for each in wanted}
        return {
            student: (grade.auto_score, needs_a_person(grade, judged=True))
            for student, grade in found.items()
        }

    assert read(course.root, asked) == {"ada": (0, True), "bob": (0, False), "cy": (0, False)}


@pytest.mark.slow
def test_a_written_answer_beside_its_empty_cell_waits_for_a_person(
    course: Any, make: SimpleNamespace
) -> None:
    beside = make.lab()
    beside.cells.append(new_markdown_cell("Because two passes read it twice."))
    course.submit("ada", beside)
    course.submit("bob", make.lab())
    verdicts = course.verdicts(course.grade())
    assert "A person has yet to grade this." in course.page("ada")
    assert "Not answered" in course.page("bob")
    assert verdicts.keys() == {"ada", "bob"}
