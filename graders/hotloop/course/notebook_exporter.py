"""Reads submissions for nbgrader's autograder: the one place where nothing may go wrong.

nbgrader calls an exporter twice a notebook: on the submitted file, and on the copy that it made of
it. The first time the file is whatever a learner handed in.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection
from pathlib import Path
from typing import Any, cast

import nbformat
from nbconvert.exporters import NotebookExporter
from nbgrader.coursedir import CourseDirectory

from hotloop.course.released import notebook_ids, released_cells, reset_grades
from hotloop.course.repair import Repaired, repair
from hotloop.course.sanitize import writable
from hotloop.worker.notebook import MAX_NOTEBOOK

METADATA = "hotloop"
"""Key in the notebook's metadata that carries the repairs' notes from the first pass on."""


class SubmissionExporter(NotebookExporter):
    """`Autograde.exporter_class`: repairs a submitted notebook before nbgrader looks at it."""

    def from_filename(
        self, filename: str, resources: Any = None, **kw: Any
    ) -> tuple[Any, dict[str, Any]]:
        """The notebook after the preprocessors of this pass, as nbconvert wants it."""
        path = Path(filename)
        if not self._is_submitted(path):
            return super().from_filename(filename, resources=resources, **kw)
        names = resources["nbgrader"]
        student, assignment = names["student"], names["assignment"]
        # First of all: if anything fails from here on, the grades are open, not the old ones.
        reset_grades(names["db_url"], assignment, student)
        known = notebook_ids(names["db_url"], assignment)
        source, renamed = find_notebook(path, known)
        repaired = repair(
            read_ordinary(source) if source is not None else None,
            released_cells(names["db_url"], assignment, names["notebook"]),
            released_texts(self._release_folder(assignment) / path.name),
            assignment,
        )
        if renamed:
            repaired.notes.append(f"It was handed in as “{renamed}” and graded as “{path.name}”.")
        _attach_notes(repaired)
        resources["metadata"] = {"name": path.stem, "path": str(path.parent)}
        return cast(Any, super()).from_notebook_node(repaired.notebook, resources=resources, **kw)

    @property
    def _coursedir(self) -> CourseDirectory:
        return cast(Any, self.parent).coursedir

    def _release_folder(self, assignment: str) -> Path:
        course = self._coursedir
        return Path(course.format_path(course.release_directory, ".", assignment))

    def _is_submitted(self, path: Path) -> bool:
        course = self._coursedir
        relative = path.relative_to(course.root)
        return relative.parts[0] == course.submitted_directory


def released_texts(path: Path) -> set[str]:
    """The sources of a released notebook's cells; none where there is no such file."""
    if not path.is_file():
        return set()
    notebook = cast(Any, nbformat).read(path, as_version=4)
    return {cell.source for cell in notebook.cells}


def find_notebook(path: Path, known: Collection[str]) -> tuple[Path | None, str]:
    """The file to read for `path`, and its name where that is another one.

    A learner who renamed the notebook gets it graded, if there is only one to choose; `known` are
    the names of the assignment's notebooks, without suffix.
    """
    if os.path.lexists(path):
        return path, ""
    others = [p for p in sorted(path.parent.glob("*.ipynb")) if p.stem not in known]
    if len(others) == 1:
        return others[0], others[0].name
    return None, ""


def read_ordinary(path: Path, limit: int = MAX_NOTEBOOK) -> bytes | None:
    """Up to one byte more than `limit` of an ordinary file; None for links, pipes and the like."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return None
    if not stat.S_ISREG(os.fstat(fd).st_mode):
        os.close(fd)
        return None
    with os.fdopen(fd, "rb") as stream:
        return stream.read(limit + 1)


def _attach_notes(repaired: Repaired) -> None:
    repaired.notebook.metadata[METADATA] = {
        "notes": [writable(note) for note in repaired.notes],
        "unreadable": repaired.unreadable,
    }
