"""What a learner or candidate got of a module.

Without nbgrader, since a process that only judges or executes imports this.
"""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, cast

from hotloop.core import paths
from hotloop.worker.notebook import text_of

NOTEBOOK = "lab.ipynb"
"""File name of a module's notebook in a learner's folder."""


@dataclass(frozen=True)
class ReleasedCell:
    """A cell that nbgrader tracks. points: None if it is not graded."""

    grade_id: str
    cell_type: str
    source: str
    checksum: str
    locked: bool
    grade: bool
    solution: bool
    task: bool
    points: float | None

    @property
    def needed(self) -> bool:
        """True for a graded cell, which a submission must have."""
        return self.grade or self.task

    def metadata(self) -> dict[str, Any]:
        """Return the cell's nbgrader metadata, in the current schema."""
        graded = {"points": self.points} if self.points is not None else {}
        return {
            "schema_version": 3,
            "grade_id": self.grade_id,
            "grade": self.grade,
            "solution": self.solution,
            "task": self.task,
            "locked": self.locked,
            "cell_type": self.cell_type,
            "checksum": self.checksum,
            **graded,
        }


@dataclass(frozen=True)
class Release:
    """A released module.

    kernelspec: of its notebook, as in nbformat. cells: those that nbgrader tracks. texts: of all
    cells. given: files other than the notebook that replace a learner's versions. own: files that a
    learner edits. digests: SHA-256 of the released versions of these, by name; empty if they are
    the published ones.
    """

    module: str
    kernelspec: Mapping[str, Any]
    cells: Sequence[ReleasedCell]
    texts: Collection[str]
    given: Mapping[str, bytes]
    own: Collection[str]
    digests: Mapping[str, str] = field(default_factory=dict[str, str])


def of_files(module: str, files: Mapping[str, bytes], own: Collection[str]) -> Release:
    """Return a module as handed out to one candidate, without a gradebook.

    files: everything that was handed out, with the notebook. own: those to be edited.
    """
    notebook = json.loads(files[NOTEBOOK])
    given = {name: data for name, data in files.items() if name not in own and name != NOTEBOOK}
    return Release(module, notebook["metadata"]["kernelspec"], *_released(notebook), given, own)


@cache
def exercise(module: str) -> Release:
    """Return a module's notebook as it is handed out; one without cells if it has none."""
    path = paths.exercises() / module / NOTEBOOK
    is_there = bool(module) and path.is_file()
    notebook: dict[str, Any] = json.loads(path.read_bytes()) if is_there else {"cells": []}
    return Release(module, {}, *_released(notebook), {}, ())


def _released(notebook: Mapping[str, Any]) -> tuple[Sequence[ReleasedCell], Collection[str]]:
    """Return the cells of a notebook that nbgrader tracks, and the texts of all."""
    cells = cast("list[dict[str, Any]]", notebook["cells"])
    return (
        [_cell(cell) for cell in cells if "nbgrader" in cell["metadata"]],
        {text_of(cell["source"]) or "" for cell in cells},
    )


def _cell(cell: Mapping[str, Any]) -> ReleasedCell:
    marks = cell["metadata"]["nbgrader"]
    return ReleasedCell(
        grade_id=marks["grade_id"],
        cell_type=cell["cell_type"],
        source=text_of(cell["source"]) or "",
        checksum="",
        locked=marks["locked"],
        grade=marks["grade"],
        solution=marks["solution"],
        task=marks["task"],
        points=marks.get("points"),
    )
