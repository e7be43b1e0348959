"""Sets all points of a learner's work to 0, with a reason, and takes that back.

The zero is a person's mark on every cell, so that it is in every export, and stays when something
is handed in or graded again. The learner's page has the reason; the audit log has what was before.
"""

from pathlib import Path
from typing import Any

from sqlalchemy import Connection

from hotloop.core.user_error import UserError
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import batch_name, require_reason
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.gradebook import cells_by_id, joined, submissions
from hotloop.course.standing import ZERO, ZERO_TAKEN_BACK, zero_reason
from hotloop.judge.lease import Lease


def set_zero(root: Path, student: str, module: str, why: str) -> str:
    """Set all points to 0; return what nbgrader could not do, or "".

    Raises UserError without a reason, and for work that was never graded.
    """
    return _mark(root, (student, module), 0.0, why, ZERO)


def take_back(root: Path, student: str, module: str, why: str) -> str:
    """Let the judge's points count again, like `set_zero`; written answers wait for a person.

    Raises UserError also if the points are not set to 0.
    """
    if not zero_reason(root, student, module):
        raise UserError(f"The points of {student} at {module} are not set to 0.")
    return _mark(root, (student, module), None, why, ZERO_TAKEN_BACK)


def _mark(root: Path, place: tuple[str, str], points: float | None, why: str, batch: str) -> str:
    require_reason(why)
    root = root.resolve()
    reason, name = " ".join(why.split()), batch_name(batch)
    with Lease().shared():
        book = Book(root, reason, name)

        def work(connection: Connection) -> None:
            with joined(connection, book.course_id) as gradebook:
                submission = submissions(gradebook, [place]).get(place)
                if submission is None:
                    raise UserError("{} has no graded work at {}.".format(*place))
                before = [line for one in submission.notebooks for line in _set(one, points)]
                book.penalize(gradebook, [place])
            entry = "\n".join([reason, f"all points; before: {', '.join(before)}"])
            within.note(connection, within.marked(*place, entry, name))

        store(root).write(work)
        return FeedbackPages(root).refresh(*place)


def _set(notebook: Any, points: float | None) -> list[str]:
    """Set the points of all cells; return those that a person had given before, in words."""
    cells = cells_by_id(notebook)
    before: list[str] = []
    for grade in notebook.grades:
        if grade.manual_score is not None:
            before.append(f"{cells[grade.cell_id].name} {grade.manual_score:g} by hand")
        if points is None:
            grade.needs_manual_grade = grade.auto_score is None
        else:
            grade.extra_credit, grade.needs_manual_grade = None, False
        grade.manual_score = points
    return before or ["none by hand"]
