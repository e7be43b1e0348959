"""Reads the results of graded submissions from the gradebook and the judge's records."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hotloop.core.verdict import Verdict
from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.store import published
from hotloop.course.gradebook import Place, read
from hotloop.course.gradebook import grades as gradebook_grades
from hotloop.course.points import by_hand, of_grade
from hotloop.course.standing import all_dropped
from hotloop.curriculum import load_module

_FAULT = "It could not be graded; no points are lost, and the instructor has the log."
BY_HAND = "by hand"
"""Replaces the verdict of a task that a person grades."""
DROPPED = "dropped"
"""Replaces the verdict if every attempt was dropped."""
_DROPPED = "The attempt was dropped: a new hand-in is graded, and so is this one with --again."


@dataclass(frozen=True)
class TaskResult:
    """Result of one task of one learner."""

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
    """Results of a batch. problems: what failed, and why; notes: sentences for the learner.

    Both are keyed by learner and module, as in "ada/fused_softmax".
    """

    results: list[TaskResult] = field(default_factory=list[TaskResult])
    feedback: list[Path] = field(default_factory=list[Path])
    problems: dict[str, str] = field(default_factory=dict[str, str])
    notes: dict[str, list[str]] = field(default_factory=dict[str, list[str]])


def results(
    root: Path, submissions: Sequence[tuple[str, str]], problems: Mapping[str, str]
) -> Graded:
    """Return the results of submissions, in task order. problems: as in `Graded`."""

    def within(gradebook: Any) -> Graded:
        graded = Graded(problems=dict(problems))
        connection = gradebook.db.connection()
        entered = _grades(gradebook, submissions)
        for student, module in submissions:
            counts = published(connection, student, module)
            grades = entered.get((student, module))
            graded.results.extend(_of_submission(root, student, module, grades, counts))
            graded.feedback.extend(sorted((root / "feedback" / student / module).glob("*.html")))
            if counts is not None and counts.notes:
                graded.notes[f"{student}/{module}"] = list(counts.notes)
        return graded

    return read(root, within)


def _grades(gradebook: Any, places: Sequence[Place]) -> dict[Place, dict[str, Any]]:
    """Return the grades of the submissions that exist, by task."""
    found: dict[Place, dict[str, Any]] = {}
    for module in {module for _, module in places}:
        for student, _, _, _, grade in gradebook_grades(gradebook, module):
            found.setdefault((student, module), {})[grade.name] = grade
    return found


def _of_submission(
    root: Path,
    student: str,
    module: str,
    grades: Mapping[str, Any] | None,
    counts: Attempt | None,
) -> list[TaskResult]:
    if grades is None:
        return _not_graded(student, module)
    tasks = [task.id for task in load_module(module).tasks if task.id in grades]
    missing = (Verdict.JUDGE_ERROR.value, _FAULT)
    if counts is None and all_dropped(root, student, module):
        missing = (DROPPED, _DROPPED)
    return [_result(student, module, grades[task], counts, missing) for task in tasks]


def _result(
    student: str,
    module: str,
    grade: Any,
    counts: Attempt | None,
    missing: tuple[str, str],
) -> TaskResult:
    """Return a task's result. missing: verdict and sentence without a record."""
    record = counts.records.get(grade.name) if counts is not None else None
    score = of_grade(grade, module, counts)
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
    """Return results for a submission that nbgrader never entered into the gradebook."""
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
