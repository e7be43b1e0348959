"""Points of submissions as in feedback and CSV, in nbgrader's columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from hotloop.course.attempts.store import store
from hotloop.course.points import is_judged, total
from hotloop.course.scores import Scored, scored
from hotloop.problem import Score

KINDS = ("code", "written", "task")
"""nbgrader's kinds of graded cells."""

Place = tuple[str, str, str]
"""Learner, assignment, notebook."""


@dataclass
class Totals:
    """Points of one or several submitted notebooks. penalty: points for late submission.

    judged_pending: points that only the judge can settle. by_hand: whether a person's mark is
    missing.
    """

    scores: dict[str, list[Score]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    penalty: float = 0.0
    judged_pending: float = 0.0
    by_hand: bool = False

    @property
    def whole(self) -> Score:
        """Points of all kinds together, minus the penalty."""
        return total([score for kind in KINDS for score in self.scores[kind]], self.penalty)

    def add(self, other: Totals) -> None:
        """Add another notebook's points."""
        for kind in KINDS:
            self.scores[kind] += other.scores[kind]
        self.penalty += other.penalty
        self.judged_pending += other.judged_pending
        self.by_hand = self.by_hand or other.by_hand

    def columns(self) -> dict[str, Any]:
        """Return the columns of nbgrader's submission dictionaries, and additional ones.

        `pending`, `code_pending`, …: open points. `judged_pending`, `penalty`: as above.
        """
        whole = self.whole
        found: dict[str, Any] = {
            "score": whole.points,
            "pending": whole.pending,
            "penalty": self.penalty,
            "judged_pending": self.judged_pending,
            "needs_manual_grade": self.by_hand,
        }
        for kind in KINDS:
            score = total(self.scores[kind])
            found |= {f"{kind}_score": score.points, f"{kind}_pending": score.pending}
        return found


def summed(several: Iterable[Totals]) -> Totals:
    """Return the sum of several totals."""
    found = Totals()
    for each in several:
        found.add(each)
    return found


def means(several: Iterable[Totals]) -> dict[str, Any]:
    """Return the columns of averages, and the mean of pending points; 0 without submissions."""
    rows = [each.columns() for each in several]

    def mean(column: str) -> float:
        return sum(row[column] for row in rows) / len(rows) if rows else 0.0

    found: dict[str, Any] = {"needs_manual_grade": any(row["needs_manual_grade"] for row in rows)}
    for kind in ("", *(f"{kind}_" for kind in KINDS)):
        found |= {f"average_{kind}score": mean(f"{kind}score")}
        found |= {f"{kind}pending": mean(f"{kind}pending")}
    return found


def read(
    gradebook: Gradebook, root: Path, *, assignment: str | None = None, student: str | None = None
) -> dict[Place, Totals]:
    """Read every submitted notebook of the course at `root`, or of an assignment or learner."""
    found: dict[Place, Totals] = {}
    for (learner, module), one in scored(
        gradebook, store(root).published, assignment, student
    ).items():
        for notebook, several in one.grades.items():
            found[learner, module, notebook] = _totals(one, several, one.penalties[notebook])
    return found


def _totals(one: Scored, grades: Iterable[Any], penalty: float) -> Totals:
    totals = Totals(penalty=penalty)
    for grade in grades:
        judged = is_judged(one.module, grade.name)
        score = one.score(grade)
        totals.scores[_kind(grade)].append(score)
        totals.judged_pending += score.pending if judged else 0.0
        totals.by_hand |= bool(grade.needs_manual_grade) and not judged
    return totals


def _kind(grade: Any) -> str:
    if grade.cell.type == "TaskCell":
        return "task"
    return "code" if grade.cell_type == "code" else "written"
