"""Deletes a learner's data from a course: gradebook, audit log, attempts, files and exchange.

Files are deleted first. An interrupted deletion can be run again; the audit log has an entry once
all is done.
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
from hotloop.course.attempts.attempt import AuditEvent
from hotloop.course.attempts.store import store
from hotloop.course.autograde import SET_ASIDE
from hotloop.course.book import AUTOGRADED
from hotloop.course.config import load_config
from hotloop.course.gradebook import joined, read
from hotloop.course.hand_in import SECRET, SUBMITTED
from hotloop.tasks.notebook_cells import NOTEBOOK

FOLDERS = (SUBMITTED, AUTOGRADED, "feedback", SET_ASIDE)
"""Folders of a course with a folder for each learner."""
_HAND_IN = re.compile(r"[^+]+\+\d{4}-.*")
"""What follows the learner's name in nbgrader's folder names: assignment and time."""


@dataclass(frozen=True)
class Forgotten:
    """Result of a deletion.

    said: the entry in the audit log. deleted: files and folders. left: those that could not be
    deleted, with the reason.
    """

    said: str
    deleted: list[Path]
    left: dict[Path, str] = field(default_factory=dict[Path, str])


def forget(root: Path, student: str) -> Forgotten:
    """Delete all data of a learner; other learners' data is not touched.

    Files in the exchange that only the learner's account or root can delete are in `left`. Raises
    UserError for an unknown name.
    """
    root = root.resolve()
    paths = data_of(root, student)
    deleted: list[Path] = []
    left: dict[Path, str] = {}
    for path in paths:
        try:
            _delete(path)
            deleted.append(path)
        except OSError as error:
            left[path] = f"{error.filename or path}: {error.strerror}"
    event = store(root).write(lambda connection: _forget(connection, student))
    return Forgotten(event.why, deleted, left)


def data_of(root: Path, student: str) -> list[Path]:
    """Return the files and folders that belong to one learner, in the course and its exchange.

    Raises UserError for an unknown name.
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
    paths = [*released, *own, *handed_in, *requests.of(inbound, student)]
    if not paths and not _is_known(root, student):
        raise UserError(f"Nothing is kept of {student!r} in {root}.")
    return paths


def _released(pages: Path, folders: list[Path]) -> Iterator[Path]:
    """Yield feedback pages in the exchange, whose names are derived from the hand-ins' secrets."""
    # A hand-in is not trusted: a link may point to another learner's file, a pipe would block.
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


def _forget(connection: Connection, student: str) -> AuditEvent:
    with joined(connection) as gradebook:
        if gradebook.db.get(Student, student) is not None:
            gradebook.remove_student(student)
    return within.forget(connection, student)
