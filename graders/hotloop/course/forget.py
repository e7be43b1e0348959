"""Deletes what a course keeps of a learner: gradebook, audit log, attempts, files, exchange.

Files go first. Whoever is interrupted runs it again, and the audit log speaks of it once all is
done.
"""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from glob import escape
from pathlib import Path

from nbgrader.api import Student
from nbgrader.utils import notebook_hash  # pyright: ignore[reportUnknownVariableType]
from sqlalchemy import Connection

from hotloop.core.user_error import UserError
from hotloop.course import exchange, requests
from hotloop.course.attempts import store as within
from hotloop.course.attempts.attempt import Event
from hotloop.course.attempts.store import store
from hotloop.course.autograde import SET_ASIDE
from hotloop.course.book import AUTOGRADED
from hotloop.course.config import load_config
from hotloop.course.gradebook import joined, read
from hotloop.course.hand_in import SUBMITTED
from hotloop.course.release_feedback import SECRET
from hotloop.notebook_cells import NOTEBOOK

FOLDERS = (SUBMITTED, AUTOGRADED, "feedback", SET_ASIDE)
"""Of a course; each has a folder for each learner."""
_HAND_IN = re.compile(r"[^+]+\+\d{4}-.*")
"""What nbgrader writes after the learner's name: assignment and time."""


@dataclass(frozen=True)
class Forgotten:
    """said: what the audit log has of it. deleted: files and folders. left: those that could not be
    deleted, and why.
    """

    said: str
    deleted: list[Path]
    left: dict[Path, str] = field(default_factory=dict[Path, str])


def forget(root: Path, student: str) -> Forgotten:
    """Delete all that is kept of a learner; nothing of anybody else's is touched.

    What belongs to the learner's account in the exchange may be for that account or for root to
    delete: it is in `left`. UserError for a name that the course does not know.
    """
    root = root.resolve()
    found = kept(root, student)
    deleted: list[Path] = []
    left: dict[Path, str] = {}
    for path in found:
        try:
            _delete(path)
            deleted.append(path)
        except OSError as error:
            left[path] = f"{error.filename or path}: {error.strerror}"
    event = store(root).write(lambda connection: _forget(connection, student))
    return Forgotten(event.why, deleted, left)


def kept(root: Path, student: str) -> list[Path]:
    """Files and folders that are a learner's alone, in the course and in its exchange.

    UserError for a name that the course does not know.
    """
    if student in {"", ".", ".."} or "/" in student:
        raise UserError(f"{student!r} is no learner's name.")
    own = [root / name / student for name in FOLDERS if (root / name / student).is_dir()]
    folder, course_id = exchange.of(load_config(root))
    inbound = folder / course_id / "inbound"
    handed_in = [
        path
        for path in sorted(inbound.glob(f"{escape(student)}+*"))
        if _HAND_IN.fullmatch(path.name.removeprefix(f"{student}+"))
    ]
    released = _released(folder / course_id / "feedback", [*own, *handed_in])
    found = [*released, *own, *handed_in, *requests.of(inbound, student)]
    if not found and not _is_known(root, student):
        raise UserError(f"Nothing is kept of {student!r} in {root}.")
    return found


def _released(pages: Path, folders: list[Path]) -> Iterator[Path]:
    """Feedback pages in the exchange: their names follow from the secrets of the hand-ins."""
    # A hand-in is not trusted: a link may lead to another learner's, a pipe would be waited for.
    secrets = [path for f in folders if not f.is_symlink() for path in f.rglob(SECRET)]
    texts = {p.read_text("utf-8", "replace") for p in secrets if p.is_file() and not p.is_symlink()}
    for secret in sorted(filter(None, texts)):
        name = notebook_hash(secret=secret, notebook_id=Path(NOTEBOOK).stem)
        if (page := pages / f"{name}.html").is_file():
            yield page


def _delete(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink()


def _is_known(root: Path, student: str) -> bool:
    if store(root).events(student=student):
        return True
    return read(root, lambda gradebook: gradebook.db.get(Student, student) is not None)


def _forget(connection: Connection, student: str) -> Event:
    with joined(connection) as gradebook:
        if gradebook.db.get(Student, student) is not None:
            gradebook.remove_student(student)
    return within.forget(connection, student)
