"""Exports grades as CSV, with open grades marked as open.

nbgrader's own export writes 0 for a missing grade, which looks like an earned zero. Use it with
`nbgrader export` in a course configured by `hotloop.course.config`.
"""

import csv
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any, cast

from nbgrader.api import Gradebook
from nbgrader.plugins import ExportPlugin

from hotloop.course.attempts.store import store
from hotloop.course.points import is_open
from hotloop.course.scores import ScoredNotebook, grouped, handed_in, penalty, scored, whole

PENDING = "pending"
COLUMNS: tuple[str, ...] = (
    "assignment",
    "duedate",
    "timestamp",
    "student_id",
    "last_name",
    "first_name",
    "email",
    "raw_score",
    "late_submission_penalty",
    "score",
    "max_score",
    "status",
    "points_so_far",
    "points_pending",
    "pending_tasks",
    "instrumented_tasks",
)


class PendingCsvExport(ExportPlugin):
    """nbgrader's columns, and what is still open.

    `score` and `raw_score` are "pending" while any grade is missing, so that no number can be
    mistaken for the result. `points_so_far` counts what is settled, minus the late penalty. Points
    of `instrumented_tasks` rest on what the learner's own process said.
    """

    def export(self, gradebook: Gradebook) -> None:
        """Write the file named by `--to`, or grades.csv."""
        path = Path(str(self.to) or "grades.csv")
        wanted = {str(name) for name in cast(Any, self).assignment}
        students = {str(name) for name in cast(Any, self).student}
        root = Path(cast(Any, self.parent).coursedir.root)
        with path.open("w", newline="", encoding="utf-8") as stream:
            table = csv.DictWriter(stream, COLUMNS, restval="")
            table.writeheader()
            table.writerows(rows(gradebook, root, wanted, students))


def rows(
    gradebook: Gradebook, root: Path, wanted: Collection[str] = (), students: Collection[str] = ()
) -> Iterator[dict[str, Any]]:
    """Yield a row for each student's work on each assignment of the course at `root`.

    wanted: the only assignments; students: the only students; empty for all.
    """
    parts = handed_in(root, scored(gradebook, store(root).published))
    works = grouped(parts, lambda part: part.place)
    for assignment in cast(Any, gradebook).assignments:
        if wanted and assignment.name not in wanted:
            continue
        for student in cast(Any, gradebook).students:
            if not students or student.id in students:
                work = works.get((student.id, assignment.name))
                yield _row(gradebook, assignment, student, work)


def _row(
    gradebook: Gradebook, assignment: Any, student: Any, work: Sequence[ScoredNotebook] | None
) -> dict[str, Any]:
    known = {
        "assignment": assignment.name,
        "duedate": assignment.duedate or "",
        "student_id": student.id,
        "last_name": student.last_name or "",
        "first_name": student.first_name or "",
        "email": student.email or "",
        "max_score": assignment.max_score,
    }
    if work is None:
        return {**known, "raw_score": 0.0, "score": 0.0, "status": "not submitted"}
    submission = cast(Any, gradebook).find_submission(assignment.name, student.id)
    waiting = [grade for part in work for grade in part.grades if is_open(grade)]
    instrumented = [
        grade.name for part in work for grade in part.grades if part.is_instrumented(grade)
    ]
    score = whole(work)
    return {
        **known,
        "timestamp": submission.timestamp or "",
        "raw_score": PENDING if waiting else submission.score,
        "late_submission_penalty": penalty(work),
        "score": PENDING if waiting else score.points,
        "status": PENDING if waiting else "final",
        "points_so_far": score.points,
        "points_pending": score.pending,
        "pending_tasks": " ".join(sorted(grade.name for grade in waiting)),
        "instrumented_tasks": " ".join(sorted(instrumented)),
    }
