"""What nbgrader's feedback pages say beyond its own: verdicts, and which points are still open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from nbformat import NotebookNode
from nbgrader import utils
from nbgrader.preprocessors import GetGrades

from hotloop.core.record import Record
from hotloop.course.attempts.store import store
from hotloop.course.points import by_hand, is_open, of_grade
from hotloop.course.render_record import colour, figures, number, points_text, prose
from hotloop.course.standing import all_dropped
from hotloop.curriculum import load_module
from hotloop.problem import Score

SUMMARY = "hotloop_summary"
"""Key in nbconvert's resources under which the template finds the page's summary."""


@dataclass(frozen=True)
class Row:
    """One task in the page's table. verdict is empty for what a person grades.

    sentence and pictures are HTML in which everything of the learner's is escaped.
    """

    task: str
    verdict: str
    colour: str
    sentence: str
    points: str
    pending: bool
    pictures: list[str]


@dataclass(frozen=True)
class Summary:
    """What the page begins with. pending: points that are open, "" when none is."""

    title: str
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
        self._counts = store(root).published(names["student"], names["assignment"])
        self._rows: list[Row] = []
        self._scores: list[Score] = []
        nb, resources = cast(Any, super()).preprocess(nb, resources)
        total = _total(self._scores, float(names.get("late_penalty", 0)))
        resources[SUMMARY] = Summary(
            title=_title(names["assignment"]),
            rows=self._rows,
            points=points_text(total),
            pending=number(total.pending) if total.pending else "",
            notes=self._notes(root, names),
        )
        return nb, resources

    def _notes(self, root: Path, names: Any) -> list[str]:
        if self._counts is not None:
            return list(self._counts.notes)
        if all_dropped(root, names["student"], names["assignment"]):
            return ["This attempt was dropped. All its points are open, and what it got is void."]
        return []

    def _get_score(self, cell: NotebookNode, resources: Any) -> None:
        cast(Any, super())._get_score(cell, resources)
        names = resources["nbgrader"]
        grade = cast(Any, self.gradebook).find_grade(
            cell.metadata["nbgrader"]["grade_id"],
            names["notebook"],
            names["assignment"],
            names["student"],
        )
        score = of_grade(grade, names["assignment"], self._counts)
        cell.metadata["nbgrader"]["points_text"] = points_text(score)
        self._scores.append(score)
        self._rows.append(_row(grade, score, self._record(grade.name), cell))

    def _record(self, task: str) -> Record | None:
        return self._counts.records.get(task) if self._counts is not None else None


def _total(scores: Sequence[Score], penalty: float) -> Score:
    """The sum less what came too late costs; as in nbgrader, no sum falls below 0 by it."""
    points = sum(score.points for score in scores) - penalty
    return Score(max(0.0, points), sum(s.pending for s in scores), sum(s.possible for s in scores))


def _title(module: str) -> str:
    """The module's title; its id where the course has an assignment that is no module."""
    try:
        return load_module(module).title
    except (LookupError, OSError, ValueError):
        return module


def _row(grade: Any, score: Score, record: Record | None, cell: NotebookNode) -> Row:
    verdict, hue, pictures = "", "", list[str]()
    if record is not None:
        verdict, sentence = record.verdict.value.replace("_", " "), record.sentence
        hue, pictures = colour(record.verdict), figures(record)
    elif utils.is_solution(cell):
        waits = "A person has yet to grade this."
        sentence = waits if is_open(grade) else by_hand(grade)
    else:
        sentence = "Not judged yet."
    return Row(
        grade.name, verdict, hue, prose(sentence), _points(score), bool(score.pending), pictures
    )


def _points(score: Score) -> str:
    if score.pending and score.pending >= score.possible:
        return f"{number(score.pending)} pending"
    said = f"{number(score.points)} of {number(score.possible)}"
    return f"{said}, {number(score.pending)} pending" if score.pending else said
