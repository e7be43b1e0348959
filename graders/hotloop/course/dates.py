"""When the modules of a course are due, and for whom later: nbgrader's due dates and extensions.

What is set is followed at once by all that is graded already: late penalties are entered anew, and
the learners' pages made anew. Nothing is executed for it.
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from nbgrader.api import MissingEntry
from sqlalchemy import Connection

from hotloop.core.user_error import UserError
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import batch_name, require_reason
from hotloop.course.attempts.store import store
from hotloop.course.book import AUTOGRADED, Book
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.gradebook import joined, read
from hotloop.course.prepare import release_anew
from hotloop.judge.lease import Lease


@dataclass(frozen=True)
class Due:
    """One released module. due: UTC without a time zone, as nbgrader keeps it; None for no date.

    extensions: by learner.
    """

    module: str
    due: datetime | None
    extensions: dict[str, timedelta] = field(default_factory=dict[str, timedelta])


@dataclass(frozen=True)
class Followed:
    """Whose late penalty changed, and what could not be done for whom."""

    changed: list[str]
    problems: dict[str, str] = field(default_factory=dict[str, str])


def dates(root: Path) -> list[Due]:
    """Those of all released modules, by name."""

    def work(gradebook: Any) -> list[Due]:
        return [_due(assignment) for assignment in gradebook.assignments]

    return sorted(read(root, work), key=lambda due: due.module)


def set_due(root: Path, module: str, due: datetime | None) -> Followed:
    """Set when a module is due; None for no date. due: UTC without a time zone.

    UserError for a module that was never released. NotPrepared where nbgrader could not make the
    released notebook anew, at whose head the date stands.
    """
    said = f"due {due:%Y-%m-%d %H:%M} UTC" if due is not None else "no due date"

    def change(gradebook: Any) -> None:
        _assignment(gradebook, module).duedate = due

    followed = _set(root, module, None, said, change)
    release_anew(root, module)
    return followed


def extend(
    root: Path, module: str, students: Collection[str], extension: timedelta, why: str
) -> Followed:
    """Let the module be due later for some learners, by so much; none takes an extension back.

    An extension may be given before anything is handed in. UserError without a reason, and for a
    module that was never released.
    """
    require_reason(why)
    said = f"extended by {extension}: {why}" if extension else f"extension taken back: {why}"

    def change(gradebook: Any) -> None:
        _assignment(gradebook, module)
        for student in students:
            gradebook.update_or_create_student(student)
            submission = gradebook.update_or_create_submission(module, student)
            submission.extension = extension or None

    return _set(root, module, students, said, change)


def _set(
    root: Path, module: str, students: Collection[str] | None, said: str, change: Any
) -> Followed:
    """Change it, note it in the audit log, and have it followed. students: all if None."""
    root = root.resolve()
    book = Book(root, said, batch_name("dates"))
    noted = within.scheduled(module, students or ("",), said, book.batch)

    def work(connection: Connection) -> None:
        with joined(connection, book.course_id) as gradebook:
            change(gradebook)
        for event in noted:
            within.note(connection, event)

    with Lease().shared():
        store(root).write(work)
        graded = sorted(path.parent.name for path in (root / AUTOGRADED).glob(f"*/{module}"))
        wanted = [(name, module) for name in graded if students is None or name in students]
        return _follow(root, book, wanted)


def _follow(root: Path, book: Book, submissions: list[tuple[str, str]]) -> Followed:
    changed = book.apply_rules(submissions)
    pages = FeedbackPages(root)
    made = {student: pages.make(student, module) for student, module in changed}
    problems = {student: problem for student, problem in made.items() if problem}
    return Followed([student for student, _ in changed], problems)


def _due(assignment: Any) -> Due:
    extensions = {s.student_id: s.extension for s in assignment.submissions if s.extension}
    return Due(str(assignment.name), assignment.duedate, dict(sorted(extensions.items())))


def _assignment(gradebook: Any, module: str) -> Any:
    try:
        return gradebook.find_assignment(module)
    except MissingEntry:
        raise UserError(f"{module} was never released in this course.") from None
