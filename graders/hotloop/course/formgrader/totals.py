"""Points of a course's submissions as feedback and CSV have them, in nbgrader's own columns."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from nbgrader.api import Gradebook

from hotloop.course.attempts.attempt import Attempt
from hotloop.course.attempts.store import store
from hotloop.course.gradebook import grades
from hotloop.course.points import is_judged, is_open, of_grade, total
from hotloop.problem import Score

KINDS = ("code", "written", "task")
"""nbgrader's: by the kind of the graded cell."""

Place = tuple[str, str, str]
"""Learner, assignment, notebook."""


@dataclass
class Totals:
    """Points of one submitted notebook, or of several. penalty: points, for coming late.

    judged_pending: points that only the judge can settle. by_hand: True where a person's mark is
    missing.
    """

    scores: dict[str, list[Score]] = field(default_factory=lambda: {kind: [] for kind in KINDS})
    penalty: float = 0.0
    judged_pending: float = 0.0
    by_hand: bool = False

    @property
    def whole(self) -> Score:
        """All kinds together, less the penalty."""
        return total([score for kind in KINDS for score in self.scores[kind]], self.penalty)

    def add(self, other: Totals) -> None:
        """Take in another notebook's."""
        for kind in KINDS:
            self.scores[kind] += other.scores[kind]
        self.penalty += other.penalty
        self.judged_pending += other.judged_pending
        self.by_hand = self.by_hand or other.by_hand

    def columns(self) -> dict[str, Any]:
        """What nbgrader's dictionaries of a submission hold, with what they lack.

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
    """All of them as one."""
    found = Totals()
    for each in several:
        found.add(each)
    return found


def means(several: Iterable[Totals]) -> dict[str, Any]:
    """The columns of averages, and the mean of what is pending: 0 for no submission."""
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
    """Every submitted notebook of the course at `root`, or of one assignment or learner."""
    found: dict[Place, Totals] = {}
    counts: dict[tuple[str, str], Attempt | None] = {}
    for *names, penalty, grade in grades(gradebook, assignment, student):
        learner, module, notebook = names
        totals = found.setdefault((learner, module, notebook), Totals(penalty=penalty or 0.0))
        judged = is_judged(module, grade.name)
        if judged and is_open(grade) and (learner, module) not in counts:
            counts[learner, module] = store(root).published(learner, module)
        score = of_grade(grade, module, counts.get((learner, module)))
        totals.scores[_kind(grade)].append(score)
        totals.judged_pending += score.pending if judged else 0.0
        totals.by_hand |= bool(grade.needs_manual_grade) and not judged
    return found


def _kind(grade: Any) -> str:
    if grade.cell.type == "TaskCell":
        return "task"
    return "code" if grade.cell_type == "code" else "written"
