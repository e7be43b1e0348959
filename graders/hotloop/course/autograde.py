"""Makes nbgrader's `autograde`, and its formgrader button, work like `hotloop course grade`.

nbgrader copies a submission's files and converts its notebook in two passes. In the first pass the
submission is read, run and entered; the graded notebook is what nbgrader then writes.
"""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

from nbconvert.exporters import NotebookExporter
from nbgrader.utils import parse_utc

from hotloop.course import nodes
from hotloop.course.attempts.attempt import now
from hotloop.course.book import filled
from hotloop.course.grade import grade_one
from hotloop.course.hand_in import MAX_TIMESTAMP, SUBMITTED, TIMESTAMP, is_text
from hotloop.course.settings import Grading
from hotloop.notebook_cells import NOTEBOOK

SET_ASIDE = "set_aside"
MAX_FILE = 64 << 20
"""Most bytes of one submitted file."""


class GradedNotebook(NotebookExporter):
    """`Autograde.exporter_class`: replaces the submitted notebook by the graded one."""

    def from_filename(
        self, filename: str, resources: Any = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """Grade the submission's file; in the second pass its copy is graded already."""
        root = Path(cast(Any, self.parent).coursedir.root)
        if Path(filename).relative_to(root).parts[0] != SUBMITTED:
            return super().from_filename(filename, resources=resources, **kw)
        names = resources["nbgrader"]
        settings = Grading(config=self.config)
        attempt = grade_one(root, settings, names["student"], names["assignment"])
        resources["metadata"] = {"name": Path(filename).stem, "path": str(Path(filename).parent)}
        notebook = nodes.of(filled(attempt))
        return cast(Any, super()).from_notebook_node(notebook, resources=resources, **kw)


def intake(*, notebooks: list[str], **_: Any) -> None:
    """`Autograde.pre_convert_hook`: prepare one submission; `notebooks` are its paths.

    nbgrader follows symbolic links when it copies a submission, and later copies the result into
    the learner's feedback, so a link to the gradebook would reveal its content. Pipes and name
    clashes make it give up on the learner. So everything but regular files is moved away.
    """
    if not notebooks:
        return
    folder = Path(notebooks[0]).parent
    set_aside(folder.parents[2], folder.parent.name, folder.name)
    # Also if the file is missing: this replaces nbgrader's handling of missing notebooks.
    notebooks[:] = [str(folder / NOTEBOOK)]


def set_aside(root: Path, student: str, assignment: str) -> None:
    """Move what nbgrader must not copy out of a submission's folder; nothing is deleted."""
    folder = root / SUBMITTED / student / assignment
    away = root / SET_ASIDE / student / assignment / f"{now():%Y%m%dT%H%M%S%fZ}"
    for path in irregular(folder, root / "source" / assignment):
        target = away / path.relative_to(folder)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)


def irregular(folder: Path, source: Path) -> list[Path]:
    """Return the entries of `folder` that nbgrader must not copy.

    These are links, pipes, devices, files over the size limit, files in place of the course's
    folders or vice versa, names that are not text, and an invalid timestamp file.
    """
    found = [
        path
        for path in _entries(folder)
        if not _is_ordinary(path) or not is_text(str(path.relative_to(folder)))
    ]
    timestamp = folder / TIMESTAMP
    if timestamp not in found and os.path.lexists(timestamp) and not _is_time(timestamp):
        found.append(timestamp)
    for given in _entries(source):
        place = folder / given.relative_to(source)
        clashes = [p for p in (*reversed(place.parents), place) if _clashes(p, folder, place)]
        found += [clash for clash in clashes[:1] if clash not in found]
    return found


def _is_time(path: Path) -> bool:
    """True if nbgrader can parse the file as a time, or if it is empty."""
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
    """True for a file in place of a folder, or a folder in place of a file."""
    if folder not in path.parents or not os.path.lexists(path):
        return False
    return path.is_dir() if path == place else not path.is_dir()


def _is_ordinary(path: Path) -> bool:
    status = path.lstat()
    return stat.S_ISREG(status.st_mode) and status.st_size <= MAX_FILE


def _entries(folder: Path) -> Iterator[Path]:
    """Yield all files below `folder`, and links to folders, without following links."""
    for name, folders, files in os.walk(folder):
        for entry in sorted([*files, *(f for f in folders if (Path(name) / f).is_symlink())]):
            yield Path(name) / entry
