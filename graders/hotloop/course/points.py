"""Computes earned and open points of an attempt, or of a grade in the gradebook.

A grade is nbgrader's object, or a query's row with the same attributes.
"""

from collections.abc import Sequence
from typing import Any

from hotloop.core.record import Record
from hotloop.course.attempts.attempt import Attempt, AttemptPoints
from hotloop.tasks.curriculum import load_module
from hotloop.tasks.problem import Score, settle


def is_open(grade: Any) -> bool:
    """True if neither the judge nor a person has given this grade a score."""
    return grade.auto_score is None and grade.manual_score is None


def is_judged(module: str, task: str) -> bool:
    """True if points come from the judge's records; False for tasks that a person marks.

    An assignment that is no module of the curriculum has no judged tasks.
    """
    try:
        return load_module(module).task(task).kind == "code"
    except KeyError:
        return False


def by_hand(grade: Any) -> str:
    """Return the sentence for a grade that a person gives."""
    if is_open(grade):
        return "A person grades this in formgrader."
    if grade.manual_score is None:
        return "Not answered: the cell is empty, missing, or as it was handed out."
    return "Graded by a person."


def by_judge(grade: Any, module: str, attempt: Attempt | None) -> Score:
    """Return a grade's points without manual changes; for an open grade, the settled part."""
    possible = float(grade.max_score)
    if grade.auto_score is not None:
        return Score(float(grade.auto_score), 0.0, possible)
    record = attempt.records.get(grade.name) if attempt is not None else None
    score = settled(module, grade.name, record, possible)
    return score if score.pending else Score(0.0, possible, possible)


def settled(module: str, task: str, record: Record | None, worth: float) -> Score:
    """Return a judged task's points, of `worth` in the gradebook, which an instructor may change.

    All are open without a record, or if the cell is no task of the module.
    """
    if record is None or not is_judged(module, task):
        return Score(0.0, worth, worth)
    score = settle(load_module(module), task, record)
    share = worth / score.possible
    return Score(score.points * share, score.pending * share, worth)


def of_attempt(attempt: Attempt | None) -> AttemptPoints | None:
    """Return an attempt's points, without late penalty and manual changes.

    Returns None for no attempt, or a module that no longer exists.
    """
    if attempt is None:
        return None
    try:
        module = load_module(attempt.module)
    except (KeyError, ValueError, OSError):
        return None
    known = {task.id for task in module.tasks}
    score = total([settle(module, t, r) for t, r in attempt.records.items() if t in known])
    return AttemptPoints(score.points, score.pending)


def of_grade(grade: Any, module: str, attempt: Attempt | None) -> Score:
    """Return the points of a grade in the gradebook, with extra credit."""
    extra = float(grade.extra_credit or 0)
    if grade.manual_score is not None:
        return Score(float(grade.manual_score) + extra, 0.0, float(grade.max_score))
    score = by_judge(grade, module, attempt)
    return Score(score.points + extra, score.pending, score.possible)


def total(scores: Sequence[Score], penalty: float = 0.0) -> Score:
    """Return the sum minus the late penalty; at least 0, as in nbgrader."""
    points = sum(score.points for score in scores)
    return Score(
        max(0.0, points - penalty),
        sum(score.pending for score in scores),
        sum(score.possible for score in scores),
    )
