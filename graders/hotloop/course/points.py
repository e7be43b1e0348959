"""What is earned and what is still open: of an attempt, and of a grade in the gradebook."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hotloop.course.attempts.attempt import Attempt, Points
from hotloop.curriculum import load_module
from hotloop.problem import Score, settle


def is_open(grade: Any) -> bool:
    """True when neither the judge nor a person has given this grade of the gradebook a score."""
    return grade.auto_score is None and grade.manual_score is None


def by_hand(grade: Any) -> str:
    """What to say of a grade that a person gives."""
    if is_open(grade):
        return "A person grades this in formgrader."
    if grade.manual_score is None:
        return "Not answered: the cell is empty, missing, or as it was handed out."
    return "Graded by a person."


def of_grade(grade: Any, module: str, attempt: Attempt | None) -> Score:
    """The points of a grade in the gradebook; for an open one, those that are settled already."""
    possible = float(grade.max_score)
    if not is_open(grade):
        return Score(float(grade.score), 0.0, possible)
    record = attempt.records.get(grade.name) if attempt is not None else None
    if record is not None:
        score = settle(load_module(module), grade.name, record)
        if score.pending:
            return score
    return Score(0.0, possible, possible)


def of_attempt(attempt: Attempt | None) -> Points | None:
    """What an attempt is worth by itself: without late penalty, and without what a person decided.

    None for a module that is no longer there.
    """
    if attempt is None:
        return None
    try:
        module = load_module(attempt.module)
    except (KeyError, ValueError, OSError):
        return None
    known = {task.id for task in module.tasks}
    found = total([settle(module, t, r) for t, r in attempt.records.items() if t in known])
    return Points(found.points, found.pending)


def total(scores: Sequence[Score]) -> Score:
    """The sum of points, open points and possible points."""
    return Score(
        sum(s.points for s in scores),
        sum(s.pending for s in scores),
        sum(s.possible for s in scores),
    )
