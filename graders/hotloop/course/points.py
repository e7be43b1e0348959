"""From the gradebook's grades to points: what is earned, what is still open."""

from __future__ import annotations

from typing import Any

from hotloop.course.records import Grading
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


def of_grade(grade: Any, module: str, grading: Grading | None) -> Score:
    """The points of a grade in the gradebook; for an open one, those that are settled already."""
    possible = float(grade.max_score)
    if not is_open(grade):
        return Score(float(grade.score), 0.0, possible)
    record = grading.records.get(grade.name) if grading is not None else None
    if record is not None:
        score = settle(load_module(module), grade.name, record)
        if score.pending:
            return score
    return Score(0.0, possible, possible)
