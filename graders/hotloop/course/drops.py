"""Takes an attempt of a learner's out, or back in, with a reason; nothing is executed for it.

The newest attempt that counted once and is not dropped is what counts. It is entered again as it
was, so that the page shows the notebook that the points are for; late penalties, extensions and
what a person decided stay. Where none is left, the grades are pending. The audit log keeps who did
it, when, why, and the points.
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
    """Let an attempt count no more; returns what nbgrader could not do, or nothing.

    UserError without a reason, and for an attempt that is not there, never counted or is dropped
    already.
    """
    attempt = _find(root, student, module, number, why)
    kept = store(root)
    published, dropped = kept.published_ids(student, module), kept.dropped(student, module)
    if number not in published:
        raise UserError(f"Attempt {number} never counted, so that there is nothing to drop.")
    if number in dropped:
        raise UserError(f"Attempt {number} is dropped already.")
    left = published - dropped.keys() - {number}
    return _decide(root, Kind.DROPPED, attempt, why, newest(root, student, module, left))


def restore(root: Path, student: str, module: str, number: int, why: str) -> str:
    """Take a dropped attempt back: as `drop`. It counts where it is the newest one."""
    attempt = _find(root, student, module, number, why)
    kept = store(root)
    published, dropped = kept.published_ids(student, module), kept.dropped(student, module)
    if number not in dropped:
        raise UserError(f"Attempt {number} is not dropped.")
    left = (published - dropped.keys()) | {number}
    return _decide(root, Kind.RESTORED, attempt, why, newest(root, student, module, left))


def _decide(root: Path, kind: Kind, attempt: Attempt, why: str, stands: Attempt | None) -> str:
    root = root.resolve()
    student, module = attempt.student, attempt.module
    said = f"attempt {attempt.number} {kind.value}: {why}"
    with Lease().shared():
        Book(root, said, batch_name(kind.value)).decide(kind, attempt, why, stands)
        return FeedbackPages(root).refresh(student, module)


def _find(root: Path, student: str, module: str, number: int, why: str) -> Attempt:
    require_reason(why)
    for attempt in store(root).history(student, module):
        if attempt.number == number:
            return attempt
    raise UserError(f"{student} has no attempt {number} at {module}.")
