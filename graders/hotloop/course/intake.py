"""What happens to a submission's folder before nbgrader copies it.

nbgrader follows symbolic links when it copies a submission, and then copies the result into the
learner's feedback: a link to the gradebook would come back as its content. Pipes and name clashes
make it give up on the learner. So whatever is not an ordinary file is moved out of the way first.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from nbgrader.utils import parse_utc

from hotloop.course import records
from hotloop.course.attempts.database import database
from hotloop.course.released import notebook_ids, reset_grades

SET_ASIDE = "set_aside"
TIMESTAMP = "timestamp.txt"
"""nbgrader's own note on when a submission came."""
MAX_FILE = 64 << 20
"""Bytes of one submitted file."""
MAX_TIMESTAMP = 200
"""Bytes."""


@dataclass(frozen=True)
class Intake:
    """`Autograde.pre_convert_hook` of the course at `root`.

    Resets the submission's grades, sets irregular files aside, and has nbgrader look at notebooks
    that were not handed in under their name.
    """

    root: Path

    def __call__(self, *, notebooks: list[str], **_: Any) -> None:
        """Prepare one submission; `notebooks` are its paths, and the list may be added to."""
        if not notebooks:
            return
        folder = Path(notebooks[0]).parent
        student, assignment = folder.parent.name, folder.name
        # Asked for only now: the settings that name it are read after this object is made.
        url = database(self.root)
        reset_grades(url, assignment, student)
        records.begin(self.root, student, assignment)
        set_aside(self.root, student, assignment)
        notebooks[:] = filter(_is_text, notebooks)
        for name in notebook_ids(url, assignment):
            expected = str(folder / f"{name}.ipynb")
            if expected not in notebooks:
                notebooks.append(expected)


def set_aside(root: Path, student: str, assignment: str) -> None:
    """Move what nbgrader must not copy out of a submission's folder; nothing is thrown away."""
    folder = root / "submitted" / student / assignment
    _name_readably(folder)
    away = root / SET_ASIDE / student / assignment / records.now()
    for path in irregular(folder, root / "source" / assignment):
        target = away / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)


def irregular(folder: Path, source: Path) -> list[Path]:
    """What in `folder` is a link, a pipe, a device, too long, or in the place of a course file;
    what has a name that is no text; and a time of handing in that is none.
    """
    found = [
        path
        for path in _entries(folder)
        if not _is_ordinary(path) or not _is_text(str(path.relative_to(folder)))
    ]
    timestamp = folder / TIMESTAMP
    if timestamp not in found and os.path.lexists(timestamp) and not _is_time(timestamp):
        found.append(timestamp)
    for given in _entries(source):
        place = folder / given.relative_to(source)
        clashes = [p for p in (*reversed(place.parents), place) if _clashes(p, folder, place)]
        found += [clash for clash in clashes[:1] if clash not in found]
    return found


def _name_readably(folder: Path) -> None:
    """Give notebooks whose names are no text, as old archives hold them, names that are."""
    for path in folder.glob("*.ipynb"):
        readable = path.with_name(os.fsencode(path.name).decode("latin-1"))
        if not _is_text(path.name) and not os.path.lexists(readable):
            path.rename(readable)


def _is_text(name: str) -> bool:
    """False for a name whose bytes are not UTF-8: databases and digests take no such name."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_time(path: Path) -> bool:
    """True when nbgrader can read the file as the time that a submission came, or as no time."""
    if not path.is_file() or path.stat().st_size > MAX_TIMESTAMP:
        return False
    try:
        text = path.read_text(encoding="utf-8").strip()
        if text:
            parse_utc(text)
    except (ValueError, OverflowError, TypeError, ArithmeticError):
        return False
    return True


def _clashes(path: Path, folder: Path, place: Path) -> bool:
    """True when a file is where a folder must be, or a folder where a file must be."""
    if folder not in path.parents or not os.path.lexists(path):
        return False
    return path.is_dir() if path == place else not path.is_dir()


def _is_ordinary(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE


def _entries(folder: Path) -> Iterator[Path]:
    """All files below `folder`, and links to folders; no link is followed."""
    for name, folders, files in os.walk(folder):
        for entry in sorted([*files, *(f for f in folders if (Path(name) / f).is_symlink())]):
            yield Path(name) / entry
