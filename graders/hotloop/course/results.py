"""What came of graded submissions, as the gradebook and the judge's records have it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook, MissingEntry

from hotloop.core.verdict import Verdict
from hotloop.course import records
from hotloop.course.config import database
from hotloop.course.gradebook_dialect import gradebook_url
from hotloop.course.points import by_hand, of_grade
from hotloop.course.standing import all_dropped
from hotloop.curriculum import load_module
from hotloop.problem import Score

_FAULT = "It could not be graded; no points are lost, and the instructor has the log."
BY_HAND = "by hand"
"""Stands in the place of a verdict for what a person grades."""
DROPPED = "dropped"
"""Stands there where every attempt was dropped."""
_DROPPED = "The attempt was dropped: a new hand-in is graded, and so is this one with --again."


@dataclass(frozen=True)
class TaskResult:
    """One task of one learner, as the gradebook and the judge's records have it."""

    student: str
    module: str
    task: str
    verdict: str
    sentence: str
    points: float
    pending: float
    possible: float


@dataclass(frozen=True)
class Graded:
    """A batch. problems: log of what nbgrader could not do; notes: what was amiss with a hand-in,
    in sentences to the learner. Both by `Item.key`.
    """

    results: list[TaskResult] = field(default_factory=list[TaskResult])
    feedback: list[Path] = field(default_factory=list[Path])
    problems: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])

    def add(self, other: Graded) -> None:
        """Take in what came of other submissions."""
        self.results.extend(other.results)
        self.feedback.extend(other.feedback)
        self.problems.update(other.problems)
        self.notes.update(other.notes)


def results(root: Path, student: str, module: str) -> list[TaskResult]:
    """Every task of one submission, in the module's order."""
    grading = records.latest(root, student, module)
    with Gradebook(gradebook_url(database(root))) as gradebook:
        try:
            submission = cast(Any, gradebook).find_submission(module, student)
        except MissingEntry:
            return _not_graded(student, module)
        grades = {g.name: g for notebook in submission.notebooks for g in notebook.grades}
        tasks = [task.id for task in load_module(module).tasks if task.id in grades]
        missing = (Verdict.JUDGE_ERROR.value, _FAULT)
        if grading is None and all_dropped(root, student, module):
            missing = (DROPPED, _DROPPED)
        return [_result(student, module, grades[task], grading, missing) for task in tasks]


def notes(root: Path, student: str, module: str) -> list[str]:
    """What was amiss with the hand-in that counts; nothing where it has not been graded."""
    grading = records.latest(root, student, module)
    return list(grading.notes) if grading is not None else []


def _result(
    student: str,
    module: str,
    grade: Any,
    grading: records.Grading | None,
    missing: tuple[str, str],
) -> TaskResult:
    """missing: verdict and sentence where there is no record."""
    record = grading.records.get(grade.name) if grading is not None else None
    score = of_grade(grade, module, grading)
    if record is not None:
        verdict, sentence = record.verdict.value, record.sentence
    elif load_module(module).task(grade.name).kind == "written":
        verdict, sentence = BY_HAND, by_hand(grade)
    else:
        verdict, sentence = missing
    return TaskResult(
        student, module, grade.name, verdict, sentence, score.points, score.pending, score.possible
    )


def _not_graded(student: str, module: str) -> list[TaskResult]:
    """For a submission that nbgrader failed on before the gradebook knew of it."""
    return [
        TaskResult(
            student,
            module,
            task.id,
            Verdict.JUDGE_ERROR.value,
            _FAULT,
            0.0,
            float(task.points),
            float(task.points),
        )
        for task in load_module(module).tasks
    ]


def totals(found: Sequence[TaskResult]) -> Score:
    """The sum of points, open points and possible points."""
    return Score(
        sum(r.points for r in found), sum(r.pending for r in found), sum(r.possible for r in found)
    )
