"""Computes earned and open points of an attempt, or of a grade in the gradebook.

A grade is nbgrader's object, or a query's row with the same attributes.
"""

from collections.abc import Sequence
from typing import Any

from hotloop.course.attempts.attempt import Attempt, AttemptPoints
from hotloop.course.worth import Worth
from hotloop.tasks.problem import Score


def is_open(grade: Any) -> bool:
    """True if neither the judge nor a person has given this grade a score."""
    return grade.auto_score is None and grade.manual_score is None


def by_hand(grade: Any) -> str:
    """Return the sentence for a grade that a person gives."""
    if is_open(grade):
        return "A person grades this in formgrader."
    if grade.manual_score is None:
        return "Not answered: the cell is empty, missing, or as it was handed out."
    return "Graded by a person."


def needs_record(grade: Any, worth: Worth) -> bool:
    """True if the judge's points follow from its record, and not from the gradebook alone."""
    return grade.auto_score is None or worth.may_rise(grade.name)


def by_judge(grade: Any, worth: Worth, attempt: Attempt | None) -> Score:
    """Return a grade's points without manual changes; for an open grade, the settled part."""
    possible = worth.possible(grade.name, float(grade.max_score))
    record = attempt.records.get(grade.name) if attempt is not None else None
    judged = Score(0.0, possible, possible)
    if record is not None and worth.is_judged(grade.name):
        judged = worth.score(grade.name, record)
    if grade.auto_score is None:
        return judged if judged.pending else Score(0.0, possible, possible)
    pending = judged.pending if record is not None else 0.0
    return Score(float(grade.auto_score), pending, possible)


def of_attempt(attempt: Attempt | None, worth: Worth) -> AttemptPoints | None:
    """Return an attempt's points, without late penalty and manual changes.

    Returns None for no attempt, or a module that no longer exists.
    """
    if attempt is None or not worth.tasks:
        return None
    judged = {task: r for task, r in attempt.records.items() if worth.is_judged(task)}
    score = total([worth.score(task, record) for task, record in judged.items()])
    return AttemptPoints(score.points, score.pending)


def of_grade(grade: Any, worth: Worth, attempt: Attempt | None) -> Score:
    """Return the points of a grade in the gradebook, with extra credit."""
    extra = float(grade.extra_credit or 0)
    if grade.manual_score is not None:
        possible = worth.possible(grade.name, float(grade.max_score))
        return Score(float(grade.manual_score) + extra, 0.0, possible)
    score = by_judge(grade, worth, attempt)
    return Score(score.points + extra, score.pending, score.possible)


def total(scores: Sequence[Score], penalty: float = 0.0) -> Score:
    """Return the sum minus the late penalty; at least 0, as in nbgrader."""
    points = sum(score.points for score in scores)
    return Score(
        max(0.0, points - penalty),
        sum(score.pending for score in scores),
        sum(score.possible for score in scores),
    )
