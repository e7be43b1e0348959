"""Takes an attempt of a learner's out, or back in, with a reason; nothing is executed for it.

The newest attempt that counted once and is not dropped is what counts. It is booked through
nbgrader again, so that late penalties, extensions and what a person decided stay. Where none is
left, the grades are pending. The audit log keeps who did it, when, why, and the points.
"""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from hotloop.course import records
from hotloop.course.attempts.attempt import Attempt, Kind, Points, now
from hotloop.course.attempts.course_store import store
from hotloop.course.attempts.record_files import TIME
from hotloop.course.booking import Bookkeeper
from hotloop.course.config import database
from hotloop.course.judged_execute import known
from hotloop.course.standing import newest, number_of, stands
from hotloop.course.submission import SUBMITTED, collect, load_release
from hotloop.judge.lease import Lease


def drop(
    root: Path, student: str, module: str, number: int, why: str, tasks: Collection[str] = ()
) -> str:
    """Let an attempt count no more; returns what nbgrader could not do, or nothing.

    Killed meanwhile, the grades are pending until the next grading of the course. tasks: those that
    the course has judged; none for all. ValueError without a reason, and for an attempt that is not
    there, never counted or is dropped already.
    """
    root = root.resolve()
    attempt = _find(root, student, module, number, why)
    kept = store(root)
    published, dropped = kept.published_ids(student, module), kept.dropped(student, module)
    if number not in published:
        raise ValueError(f"attempt {number} never counted, so that there is nothing to drop")
    if number in dropped:
        raise ValueError(f"attempt {number} is dropped already")
    counts = kept.published(student, module)
    after = counts
    books = Bookkeeper(root, f"attempt {number} dropped: {why}", _batch("drop"))
    with Lease().shared():
        if counts is not None and counts.id == number:
            after = newest(root, student, module, published - dropped.keys() - {number})
            # First, so that a kill leaves grades open rather than those of a dropped attempt.
            books.open(student, module, f"attempt {number} dropped")
        kept.note(Kind.DROPPED, attempt, "", why, _points(counts), _points(after), books.batch)
        return _book(root, books, student, module, tasks)


def restore(
    root: Path, student: str, module: str, number: int, why: str, tasks: Collection[str] = ()
) -> str:
    """Take a dropped attempt back: as `drop`. It counts where it is the newest one."""
    root = root.resolve()
    attempt = _find(root, student, module, number, why)
    kept = store(root)
    published, dropped = kept.published_ids(student, module), kept.dropped(student, module)
    if number not in dropped:
        raise ValueError(f"attempt {number} is not dropped")
    counts = kept.published(student, module)
    after = newest(root, student, module, (published - dropped.keys()) | {number})
    books = Bookkeeper(root, f"attempt {number} restored: {why}", _batch("restore"))
    with Lease().shared():
        kept.note(Kind.RESTORED, attempt, "", why, _points(counts), _points(after), books.batch)
        return _book(root, books, student, module, tasks)


def settle(
    root: Path, books: Bookkeeper, student: str, module: str, tasks: Collection[str] = ()
) -> str:
    """Book what should count, unless it does, or a grading is due that decides it.

    Returns what nbgrader could not do, or nothing.
    """
    kept = store(root)
    counts, attempt = kept.published(student, module), stands(root, student, module)
    if attempt is None or (counts is not None and counts.id == attempt.id):
        return ""
    if not _was_graded(root, student, module, tasks):
        return ""
    return book_again(root, books, records.read(attempt), tasks)


def book_again(
    root: Path, books: Bookkeeper, grading: records.Grading, tasks: Collection[str] = ()
) -> str:
    """Book a kept grading; returns what nbgrader could not do, or nothing."""
    student, module = grading.student, grading.module
    other = _lies_there(root, student, module, tasks) != grading.submission_digest
    return books.book(student, module, known(grading), other=other)


def _book(root: Path, books: Bookkeeper, student: str, module: str, tasks: Collection[str]) -> str:
    problem = settle(root, books, student, module, tasks)
    if problem or not any((root / "autograded" / student / module).glob("*.ipynb")):
        return problem
    return books.feedback(student, module)


def _find(root: Path, student: str, module: str, number: int, why: str) -> Attempt:
    if not why.strip():
        raise ValueError("say why: the audit log keeps the reason of every change")
    if not (root / SUBMITTED / student / module).is_dir():
        raise ValueError(f"nothing that {student} handed in for {module} is there")
    for attempt in store(root).history(student, module):
        if number_of(attempt) == number:
            return attempt
    raise ValueError(f"{student} has no attempt {number} at {module}")


def _was_graded(root: Path, student: str, module: str, tasks: Collection[str]) -> bool:
    """True when what lies in the folder was graded, and counted, at some time."""
    kept = store(root)
    published = kept.published_ids(student, module)
    graded = {a.submission_digest for a in kept.history(student, module) if a.id in published}
    return _lies_there(root, student, module, tasks) in graded


def _lies_there(root: Path, student: str, module: str, tasks: Collection[str]) -> str:
    """Digest of the submission in the folder."""
    return collect(root, student, load_release(root, database(root), module), tasks).digest


def _points(attempt: Attempt | None) -> Points | None:
    return records.points(records.read(attempt)) if attempt is not None else None


def _batch(what: str) -> str:
    return f"{what}-{now().strftime(TIME)}"
