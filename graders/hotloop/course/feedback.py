"""What nbgrader's feedback pages say beyond its own: verdicts, and which points are still open."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import GetGrades

from hotloop.course import records
from hotloop.course.notebook_exporter import METADATA
from hotloop.course.points import by_hand, is_open, of_grade
from hotloop.course.render_record import number, points_text
from hotloop.curriculum import Score
from hotloop.judge.record import Record

SUMMARY = "hotloop_summary"
"""Key in nbconvert's resources under which the template finds the page's summary."""


@dataclass(frozen=True)
class Row:
    """One task in the page's table. verdict is empty for what a person grades."""

    task: str
    verdict: str
    sentence: str
    points: str
    pending: bool


@dataclass(frozen=True)
class Summary:
    """What the page begins with."""

    rows: list[Row]
    points: str
    pending: str
    notes: list[str]


class JudgedGrades(GetGrades):
    """`GetGrades`, which shows an open grade as 0, with open grades left open."""

    def preprocess(self, nb: NotebookNode, resources: Any) -> tuple[NotebookNode, Any]:
        """Put scores into the cells and a `Summary` into the resources."""
        names = resources["nbgrader"]
        root = Path(resources["metadata"]["path"]).parents[2]
        self._grading = records.latest(root, names["student"], names["assignment"])
        self._rows: list[Row] = []
        self._scores: list[Score] = []
        nb, resources = cast(Any, super()).preprocess(nb, resources)
        pending = sum(score.pending for score in self._scores)
        so_far = sum(score.points for score in self._scores) - names.get("late_penalty", 0)
        possible = sum(score.possible for score in self._scores)
        resources[SUMMARY] = Summary(
            rows=self._rows,
            points=f"{number(so_far)} of {number(possible)}",
            pending=number(pending) if pending else "",
            notes=list(nb.metadata.get(METADATA, {}).get("notes", [])),
        )
        return nb, resources

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        cast(Any, super())._get_score(cell, resources)
        names = resources["nbgrader"]
        grade = cast(Any, self.gradebook).find_grade(
            cell.metadata["nbgrader"]["grade_id"],
            names["notebook"],
            names["assignment"],
            names["student"],
        )
        score = of_grade(grade, names["assignment"], self._grading)
        cell.metadata["nbgrader"]["points_text"] = points_text(score)
        self._scores.append(score)
        self._rows.append(_row(grade, score, self._record(grade.name), cell))

    def _record(self, task: str) -> Record | None:
        return self._grading.records.get(task) if self._grading is not None else None


def _row(grade: Any, score: Score, record: Record | None, cell: NotebookNode) -> Row:
    if record is not None:
        verdict, sentence = record.verdict.value.replace("_", " "), record.sentence
    elif utils.is_solution(cell):
        waits = "A person has yet to grade this."
        verdict, sentence = "", waits if is_open(grade) else by_hand(grade)
    else:
        verdict, sentence = "", "Not judged yet."
    return Row(grade.name, verdict, sentence, _points(score), bool(score.pending))


def _points(score: Score) -> str:
    said = f"{number(score.points)} of {number(score.possible)}"
    return f"{said}, {number(score.pending)} pending" if score.pending else said
