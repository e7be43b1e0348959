"""Due dates and extensions of a course's modules, stored as nbgrader's.

Changes take effect at once for graded submissions: late penalties are entered again and learners'
pages are regenerated, without executing anything.
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
from hotloop.tasks import curriculum

LATEST = datetime(3000, 1, 1)
LONGEST_EXTENSION = timedelta(days=36_525)
"""Bounds under which a date with an extension is still a date, also for nbgrader."""


@dataclass(frozen=True)
class Due:
    """Dates of one released module. due: naive UTC, as in nbgrader; None for no date.

    extensions: by learner.
    """

    module: str
    due: datetime | None
    extensions: dict[str, timedelta] = field(default_factory=dict[str, timedelta])


@dataclass(frozen=True)
class Followed:
    """Learners whose late penalty changed, and problems by learner."""

    changed: list[str]
    problems: dict[str, str] = field(default_factory=dict[str, str])


def dates(root: Path) -> list[Due]:
    """Return the dates of all released modules, sorted by name."""

    def work(gradebook: Any) -> list[Due]:
        due_dates: list[Due] = []
        for assignment in gradebook.assignments:
            extensions = {s.student_id: s.extension for s in assignment.submissions if s.extension}
            due_dates.append(
                Due(str(assignment.name), assignment.duedate, dict(sorted(extensions.items())))
            )
        return due_dates

    return sorted(read(root, work), key=lambda due: due.module)


def set_due(root: Path, module: str, due: datetime | None) -> Followed:
    """Set a module's due date, naive UTC; None for no date.

    Raises UserError for a module that was never released, for a date that is too far off, and if
    learners have extensions of the date that is taken away; NotPrepared if nbgrader could not
    regenerate the released notebook, which shows the date.
    """
    if due is not None and due >= LATEST:
        raise UserError(f"{due:%Y-%m-%d} is too far off; `none` is for no due date.")
    entry = f"due {due:%Y-%m-%d %H:%M} UTC" if due is not None else "no due date"

    def change(gradebook: Any) -> None:
        assignment = _assignment(gradebook, module)
        longer = sorted(s.student_id for s in assignment.submissions if s.extension)
        if due is None and longer:
            # nbgrader's autograde fails for an extension without a date.
            raise UserError(
                f"{module} has extensions, for {', '.join(longer)}, which need a date: take them "
                "back first (`--extra 0h`)."
            )
        assignment.duedate = due

    followed = _set(root, module, None, entry, change)
    if module in curriculum.names():
        release_anew(root, module)
    return followed


def extend(
    root: Path, module: str, students: Collection[str], extension: timedelta, why: str
) -> Followed:
    """Extend the due date for some learners; an extension of zero is taken back.

    An extension may be given before the hand-in. Raises UserError without a reason, for a module
    that was never released or has no due date, and for an extension of more than a century.
    """
    require_reason(why)
    if extension > LONGEST_EXTENSION:
        raise UserError(f"An extension of {duration(extension)} is too long.")
    given = f"extended by {duration(extension)}: {why}"
    entry = given if extension else f"extension taken back: {why}"

    def change(gradebook: Any) -> None:
        if _assignment(gradebook, module).duedate is None and extension:
            raise UserError(
                f"{module} has no due date that could be extended: set one first "
                f"(`hotloop course due {module} DATE`)."
            )
        for student in students:
            gradebook.update_or_create_student(student)
            submission = gradebook.update_or_create_submission(module, student)
            submission.extension = extension or None

    return _set(root, module, students, entry, change)


def duration(extension: timedelta) -> str:
    """Return an extension as it is written on the command line, such as 2d or 36h."""
    hours = extension / timedelta(hours=1)
    return f"{hours / 24:g}d" if hours and hours % 24 == 0 else f"{hours:g}h"


def _set(
    root: Path, module: str, students: Collection[str] | None, entry: str, change: Any
) -> Followed:
    """Apply a change, log it and update penalties and pages. students: all if None."""
    root = root.resolve()
    book = Book(root, entry, batch_name("dates"))
    noted = within.scheduled(module, students or ("",), entry, book.batch)

    def work(connection: Connection) -> None:
        with joined(connection, book.course_id) as gradebook:
            change(gradebook)
        for event in noted:
            within.note(connection, event)

    with Lease().shared():
        store(root).write(work)
        graded = sorted(path.parent.name for path in (root / AUTOGRADED).glob(f"*/{module}"))
        wanted = [(name, module) for name in graded if students is None or name in students]
        changed = [student for student, _ in book.apply_rules(wanted)]
        pages = FeedbackPages(root)
        results = {student: pages.make(student, module) for student in changed}
    return Followed(changed, {student: text for student, text in results.items() if text})


def _assignment(gradebook: Any, module: str) -> Any:
    try:
        return gradebook.find_assignment(module)
    except MissingEntry:
        raise UserError(f"{module} was never released in this course.") from None
