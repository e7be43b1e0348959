"""An answer is found in any cell; it is blank only if no word of it is the candidate's."""

import json
from typing import Any

import pytest

from hotloop.course import hand_in
from hotloop.course.sanitize import literal
from hotloop.judge.notebook_release import of_files
from hotloop.takehome import written_answers
from hotloop.takehome.written_answers import WrittenAnswer
from hotloop.tasks import curriculum

TASK = curriculum.load_module("fused_softmax").task("explain")
NOTEBOOK = "lab.ipynb"
QUESTION = "Explain it in your own words."
ANSWER = "It is bound by memory: each row is read once."

Cells = list[tuple[str, str, str]]
"""Kind, nbgrader's name, and text."""

GIVEN: Cells = [
    ("markdown", "", "# A lab"),
    ("code", "online_pass", "def online(): ..."),
    ("markdown", "explain", QUESTION),
]


def notebook(cells: Cells) -> bytes:
    found: list[dict[str, Any]] = [
        {
            "cell_type": kind,
            "metadata": {"nbgrader": marks(name)} if name else {},
            "source": text,
        }
        for kind, name, text in cells
    ]
    about = {"kernelspec": {"name": "python3"}}
    return json.dumps({"cells": found, "nbformat": 4, "metadata": about}).encode()


def marks(name: str) -> dict[str, Any]:
    written_answers = name == "explain"
    flags = {
        "grade": True,
        "solution": written_answers,
        "locked": not written_answers,
        "task": False,
    }
    return {"grade_id": name, "points": 1, **flags}


def read(cells: Cells) -> WrittenAnswer | None:
    """Return the answer in a notebook that was handed in."""
    given = {NOTEBOOK: notebook(GIVEN)}
    release = of_files("fused_softmax", given, [NOTEBOOK])
    work = hand_in.complete("quiet-otter-41", release, {}, notebook(cells))
    return written_answers.answer(work.files, given, TASK)


def test_the_task_is_in_the_notebook() -> None:
    assert TASK.files == [NOTEBOOK]


def test_the_own_cell_is_the_answer() -> None:
    assert read([*GIVEN[:2], ("markdown", "explain", ANSWER)]) == WrittenAnswer(ANSWER)


def test_a_cell_that_lost_its_name_is_still_read() -> None:
    assert read([*GIVEN[:2], ("markdown", "", ANSWER)]) == WrittenAnswer(ANSWER, elsewhere=True)


def test_a_cell_below_is_still_read() -> None:
    found = read([*GIVEN, ("markdown", "", ANSWER), ("raw", "", "P. S.")])
    assert found == WrittenAnswer(f"{ANSWER}\n\n{literal('P. S.')}", elsewhere=True)


def test_what_is_written_into_the_heading_is_still_read() -> None:
    heading = ("markdown", "", f"# A lab\n\n{ANSWER}")
    assert read([heading, *GIVEN[1:]]) == WrittenAnswer(heading[2], elsewhere=True)


def test_an_emptied_cell_with_text_elsewhere_is_not_blank() -> None:
    cells: Cells = [*GIVEN[:2], ("markdown", "explain", " \n"), ("markdown", "", ANSWER)]
    assert read(cells) == WrittenAnswer(ANSWER, elsewhere=True)


@pytest.mark.parametrize(
    "cells",
    [
        GIVEN,
        [*GIVEN[:2], ("markdown", "explain", "  ")],
        GIVEN[:2],
        [*GIVEN, ("code", "", "# I tried 3 blocks"), ("markdown", "", " ")],
    ],
    ids=["as given", "emptied", "cell deleted", "only code added"],
)
def test_without_a_word_of_the_candidates_it_is_blank(cells: Cells) -> None:
    assert read(cells) is None


def test_a_long_answer_is_cut_where_it_is_quoted() -> None:
    found = read([*GIVEN[:2], ("markdown", "explain", "x" * (written_answers.LONGEST + 5))])
    assert found is not None
    assert len(found.text) == written_answers.LONGEST + 1
