"""Drops and restores a learner's attempts, with a reason and without executing anything.

The newest attempt that ever counted and is not dropped is the one that counts. It is entered again
unchanged, so that the page shows the notebook that the points belong to; late penalties, extensions
and manual grades stay. If none is left, the grades are pending. The audit log records who did it,
when, why, and the points.
"""

from pathlib import Path

from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import Attempt, Kind, batch_name, require_reason
from hotloop.course.attempts.store import store
from hotloop.course.book import Book
from hotloop.course.feedback_pages import FeedbackPages
from hotloop.course.standing import newest
from hotloop.judge.lease import Lease


def drop(root: Path, student: str, module: str, number: int, why: str) -> str:
    """Drop an attempt; return what nbgrader could not do, or "".

    Raises UserError without a reason, and for an attempt that does not exist, never counted or is
    dropped already.
    """
    attempt = _find(root, student, module, number, why)
    attempts = store(root)
    published, dropped = attempts.published_ids(student, module), attempts.dropped(student, module)
    if number not in published:
        raise UserError(f"Attempt {number} never counted, so that there is nothing to drop.")
    if number in dropped:
        raise UserError(f"Attempt {number} is dropped already.")
    left = published - dropped.keys() - {number}
    return _decide(root, Kind.DROPPED, attempt, why, newest(root, student, module, left))


def restore(root: Path, student: str, module: str, number: int, why: str) -> str:
    """Restore a dropped attempt, like `drop`. It counts if it is the newest one."""
    attempt = _find(root, student, module, number, why)
    attempts = store(root)
    published, dropped = attempts.published_ids(student, module), attempts.dropped(student, module)
    if number not in dropped:
        raise UserError(f"Attempt {number} is not dropped.")
    left = (published - dropped.keys()) | {number}
    return _decide(root, Kind.RESTORED, attempt, why, newest(root, student, module, left))


def _decide(root: Path, kind: Kind, attempt: Attempt, why: str, stands: Attempt | None) -> str:
    root = root.resolve()
    student, module = attempt.student, attempt.module
    entry = f"attempt {attempt.number} {kind.value}: {why}"
    with Lease().shared():
        Book(root, entry, batch_name(kind.value)).decide(kind, attempt, why, stands)
        return FeedbackPages(root).refresh(student, module)


def _find(root: Path, student: str, module: str, number: int, why: str) -> Attempt:
    require_reason(why)
    for attempt in store(root).history(student, module):
        if attempt.number == number:
            return attempt
    raise UserError(f"{student} has no attempt {number} at {module}.")
