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

from hotloop.course import records
from hotloop.course.released import notebook_ids, reset_grades

SET_ASIDE = "set_aside"
MAX_FILE = 64 << 20
"""Bytes of one submitted file."""


@dataclass(frozen=True)
class Intake:
    """`Autograde.pre_convert_hook` of the course at `root`.

    Resets the submission's grades, sets irregular files aside, and has nbgrader look at notebooks
    that were not handed in under their name.
    """

    root: Path
    db_url: str
    submitted: str = "submitted"
    source: str = "source"

    def __call__(self, *, notebooks: list[str], **_: Any) -> None:
        """Prepare one submission; `notebooks` are its paths, and the list may be added to."""
        if not notebooks:
            return
        folder = Path(notebooks[0]).parent
        student, assignment = folder.parent.name, folder.name
        reset_grades(self.db_url, assignment, student)
        records.begin(self.root, student, assignment)
        set_aside = self.root / SET_ASIDE / student / assignment / records.now()
        for path in irregular(folder, self.root / self.source / assignment):
            target = set_aside / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            path.rename(target)
        for name in notebook_ids(self.db_url, assignment):
            expected = str(folder / f"{name}.ipynb")
            if expected not in notebooks:
                notebooks.append(expected)


def irregular(folder: Path, source: Path) -> list[Path]:
    """What in `folder` is a link, a pipe, a device, too long, or in the place of a course file."""
    found = [path for path in _entries(folder) if not _is_ordinary(path)]
    for given in _entries(source):
        place = folder / given.relative_to(source)
        clashes = [p for p in (*reversed(place.parents), place) if _clashes(p, folder, place)]
        found += [clash for clash in clashes[:1] if clash not in found]
    return found


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
