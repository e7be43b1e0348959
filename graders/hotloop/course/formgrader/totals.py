"""Points of submissions as in feedback and CSV, in nbgrader's columns."""

from collections.abc import Iterable, Sequence
from typing import Any

from hotloop.course.points import total
from hotloop.course.scores import ScoredNotebook, penalty, whole

KINDS = ("code", "written", "task")
"""nbgrader's kinds of graded cells."""


def columns(parts: Sequence[ScoredNotebook]) -> dict[str, Any]:
    """Return the columns of nbgrader's submission dictionaries for notebooks, and additional ones.

    `pending`, `code_pending`, …: open points; `judged_pending`: those that only the judge can
    settle; `penalty`: for late submission.
    """
    cells = [
        (_kind(grade), one.worth.is_judged(grade.name), grade, one.score(grade))
        for one in parts
        for grade in one.grades
    ]
    points = whole(parts)
    row: dict[str, Any] = {
        "score": points.points,
        "max_score": points.possible,
        "pending": points.pending,
        "penalty": penalty(parts),
        "judged_pending": sum(score.pending for _, judged, _, score in cells if judged),
        "needs_manual_grade": any(
            needs_a_person(grade, judged=judged) for _, judged, grade, _ in cells
        ),
    }
    for kind in KINDS:
        score = total([score for of, _, _, score in cells if of == kind])
        row |= {
            f"{kind}_score": score.points,
            f"{kind}_pending": score.pending,
            f"max_{kind}_score": score.possible,
        }
    return row


def needs_a_person(grade: Any, *, judged: bool) -> bool:
    """True for an answer to mark, and for points by hand that were for an earlier hand-in.

    nbgrader asks for marks of all open grades; those of judged tasks wait for the judge. One that
    the judge has settled asks for a person if an answer may be in a text that is not run.
    """
    is_settled = grade.manual_score is not None or grade.auto_score is not None
    return grade.needs_manual_grade and (not judged or is_settled)


def means(several: Iterable[Sequence[ScoredNotebook]]) -> dict[str, Any]:
    """Return the columns of averages, and the mean of pending points; 0 without submissions."""
    rows = [columns(parts) for parts in several]

    def mean(column: str) -> float:
        return sum(row[column] for row in rows) / len(rows) if rows else 0.0

    row: dict[str, Any] = {"needs_manual_grade": any(row["needs_manual_grade"] for row in rows)}
    for kind in ("", *(f"{kind}_" for kind in KINDS)):
        row |= {f"average_{kind}score": mean(f"{kind}score")}
        row |= {f"{kind}pending": mean(f"{kind}pending")}
    return row


def _kind(grade: Any) -> str:
    if grade.cell.type == "TaskCell":
        return "task"
    return "code" if grade.cell_type == "code" else "written"
