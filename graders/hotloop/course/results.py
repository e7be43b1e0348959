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
from hotloop.course.points import by_hand, of_grade, total
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
class Total:
    """Points of one submission, as in the exported CSV: minus `penalty`, for late submission."""

    student: str
    module: str
    points: float
    pending: float
    possible: float
    penalty: float


@dataclass(frozen=True)
class Graded:
    """Results of a batch. totals: of each submission, with late penalty.

    problems: what failed, and why; notes: sentences for the learner. Both are keyed by learner and
    module, as in "ada/fused_softmax".
    """

    results: list[TaskResult] = field(default_factory=list[TaskResult])
    totals: list[Total] = field(default_factory=list[Total])
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
        entered = _entered(gradebook, submissions)
        for student, module in submissions:
            counts = published(connection, student, module)
            found = entered.get((student, module))
            graded.results.extend(_of_submission(root, student, module, found, counts))
            graded.totals.append(_total(student, module, found, counts))
            graded.feedback.extend(sorted((root / "feedback" / student / module).glob("*.html")))
            if counts is not None and counts.notes:
                graded.notes[f"{student}/{module}"] = list(counts.notes)
        return graded

    return read(root, within)


@dataclass
class _Entered:
    """What the gradebook has of a submission: grades by task, and late penalty by notebook."""

    grades: dict[str, Any] = field(default_factory=dict[str, Any])
    penalties: dict[str, float] = field(default_factory=dict[str, float])


def _entered(gradebook: Any, places: Sequence[Place]) -> dict[Place, _Entered]:
    """Return the submissions that are in the gradebook."""
    found: dict[Place, _Entered] = {}
    for module in {module for _, module in places}:
        for student, _, notebook, penalty, grade in gradebook_grades(gradebook, module):
            entered = found.setdefault((student, module), _Entered())
            entered.grades[grade.name] = grade
            entered.penalties[notebook] = penalty or 0.0
    return found


def _total(student: str, module: str, entered: _Entered | None, counts: Attempt | None) -> Total:
    if entered is None:
        possible = float(sum(task.points for task in load_module(module).tasks))
        return Total(student, module, 0.0, possible, possible, 0.0)
    penalty = sum(entered.penalties.values())
    whole = total([of_grade(grade, module, counts) for grade in entered.grades.values()], penalty)
    return Total(student, module, whole.points, whole.pending, whole.possible, penalty)


def _of_submission(
    root: Path,
    student: str,
    module: str,
    entered: _Entered | None,
    counts: Attempt | None,
) -> list[TaskResult]:
    if entered is None:
        return _not_graded(student, module)
    grades = entered.grades
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
