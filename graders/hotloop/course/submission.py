"""One submission as plain data: all that its execution needs, on this machine or on another.

What a learner handed in is read once, without trust, and completed by what was released. Neither
the gradebook nor the course's folders are needed from here on.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import cast

from nbformat import NotebookNode
from nbgrader import utils

from hotloop.course.intake import TIMESTAMP, set_aside
from hotloop.course.notebook_exporter import find_notebook, read_ordinary, released_texts
from hotloop.course.released import ReleasedCell, notebook_ids, released_cells
from hotloop.course.repair import repair
from hotloop.course.sanitize import writable
from hotloop.course.snapshot import ordinary_files
from hotloop.curriculum import load_module

SUBMITTED = "submitted"
SOURCE = "source"
RELEASE = "release"
SUFFIX = ".ipynb"


@dataclass(frozen=True)
class Submission:
    """What is executed.

    cells: the repaired notebook's code cells in order, as the grade id of an automatically graded
    cell, or nothing, and the source. files: by path, as sandbox and judge see them. notes: on the
    hand-in, to the learner. unreadable: why there is no notebook, or nothing. tasks: those to be
    judged; empty for all. handed_in: when, as nbgrader noted it; None where nobody asked.
    """

    module: str
    cells: Sequence[tuple[str, str]]
    files: Mapping[str, bytes]
    notes: Sequence[str] = ()
    unreadable: str = ""
    tasks: Sequence[str] = ()
    handed_in: str | None = None

    @cached_property
    def digest(self) -> str:
        """SHA-256 over all that can have a say in a verdict."""
        files = {name: hashlib.sha256(data).hexdigest() for name, data in self.files.items()}
        document = [self.module, list(self.cells), files, self.unreadable, sorted(self.tasks)]
        return hashlib.sha256(json.dumps(document, sort_keys=True).encode()).hexdigest()


@dataclass(frozen=True)
class Release:
    """A module as the course has released it. notebook: the name of its notebook.

    cells: those of the notebook that nbgrader keeps track of. texts: of all its cells. given: the
    files beside it that a learner's own do not replace.
    """

    module: str
    notebook: str
    cells: Sequence[ReleasedCell]
    texts: Collection[str]
    given: Mapping[str, bytes]


def load_release(root: Path, db_url: str, module: str) -> Release:
    """The module as released in the course at `root`. KeyError when it never was."""
    names = notebook_ids(db_url, module)
    if not names:
        raise KeyError(f"{module} was never released in {root}")
    source, own = root / SOURCE / module, learners_files(module)
    given = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file() and path.suffix != SUFFIX
    }
    return Release(
        module,
        names[0],
        released_cells(db_url, module, names[0]),
        released_texts(root / RELEASE / module / f"{names[0]}{SUFFIX}"),
        {name: data for name, data in given.items() if name not in own},
    )


def collect(root: Path, student: str, release: Release, tasks: Collection[str] = ()) -> Submission:
    """Read one submission of the course at `root`, after setting aside what is no ordinary file."""
    folder = root / SUBMITTED / student / release.module
    set_aside(root, student, release.module)
    files, notes = ordinary_files(folder)
    path, renamed = find_notebook(folder / f"{release.notebook}{SUFFIX}", [release.notebook])
    handed_in = read_ordinary(path) if path is not None else None
    files = {**files, **release.given, f"{release.notebook}{SUFFIX}": handed_in or b""}
    repaired = repair(handed_in, release.cells, release.texts, release.module)
    if renamed:
        notes.append(f"It was handed in as “{renamed}” and graded as “{release.notebook}{SUFFIX}”.")
    return Submission(
        release.module,
        tuple(map(_code, code_cells(repaired.notebook))),
        files,
        tuple(map(writable, [*repaired.notes, *notes])),
        repaired.unreadable,
        tuple(sorted(tasks)),
        _handed_in(folder),
    )


def code_cells(notebook: NotebookNode) -> list[NotebookNode]:
    """The notebook's code cells, in order."""
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def learners_files(module: str) -> list[str]:
    """The files that a learner edits, which nothing released may replace."""
    return sorted({name for task in load_module(module).tasks for name in task.files})


def _handed_in(folder: Path) -> str:
    """The time that nbgrader noted; nothing where it noted none."""
    path = folder / TIMESTAMP
    return path.read_text(encoding="utf-8").strip() if path.is_file() else ""


def _code(cell: NotebookNode) -> tuple[str, str]:
    graded = utils.is_grade(cell) and not utils.is_solution(cell)
    return (str(cell.metadata["nbgrader"]["grade_id"]) if graded else "", cast(str, cell.source))
