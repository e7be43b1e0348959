"""Reads a released module from the course's folders and nbgrader's gradebook."""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, cast

import nbformat
from nbgrader.api import MissingEntry

from hotloop.core.user_error import UserError
from hotloop.course.course_files import SOURCE, class_variant, learners_files
from hotloop.course.gradebook import read
from hotloop.course.hand_in import IGNORED_FOLDERS
from hotloop.judge.notebook_release import Release, ReleasedCell
from hotloop.tasks.curriculum import modules
from hotloop.tasks.notebook_cells import NOTEBOOK

RELEASE = "release"


def load_release(root: Path, module: str) -> Release:
    """Load the module as released in the course at `root`. Raises UserError if it never was."""
    notebook = read(root, lambda gradebook: _notebook(gradebook, module))
    if notebook is None:
        raise UserError(f"{module} was never released in {root}.")
    kernelspec, cells = notebook
    source, own = root / SOURCE / module, learners_files(module)
    files = {
        path.relative_to(source).as_posix(): path.read_bytes()
        for path in sorted(source.rglob("*"))
        if path.is_file()
        and path.suffix != ".ipynb"
        # JupyterLab and Python write there when an instructor opens the files.
        and not IGNORED_FOLDERS & set(path.relative_to(source).parts)
    }
    return Release(
        module,
        kernelspec,
        cells,
        _texts(root / RELEASE / module / NOTEBOOK),
        {name: data for name, data in files.items() if name not in own},
        own,
        class_variant(root, module)[1],
    )


def released_modules(root: Path) -> frozenset[str]:
    """Return the modules with a released notebook; a course may have other assignments too."""

    def names(gradebook: Any) -> frozenset[str]:
        return frozenset(str(each.name) for each in gradebook.assignments if each.notebooks)

    return read(root, names) & {module.id for module in modules()}


def _notebook(gradebook: Any, module: str) -> tuple[Mapping[str, Any], list[ReleasedCell]] | None:
    """Return kernelspec and cells of the notebook in order; None if it was never released."""
    try:
        notebook = gradebook.find_notebook(Path(NOTEBOOK).stem, module)
    except MissingEntry:
        return None
    points = {c.name: float(c.max_score) for c in [*notebook.grade_cells, *notebook.task_cells]}
    grade = _names(notebook.grade_cells)
    solution = _names(notebook.solution_cells)
    task = _names(notebook.task_cells)
    cells = [
        ReleasedCell(
            grade_id=cell.name,
            cell_type=cell.cell_type,
            source=cell.source,
            checksum=cell.checksum,
            locked=bool(cell.locked),
            grade=cell.name in grade,
            solution=cell.name in solution,
            task=cell.name in task,
            points=points.get(cell.name),
        )
        for cell in notebook.source_cells
    ]
    return json.loads(notebook.kernelspec or "{}"), cells


def _texts(path: Path) -> set[str]:
    """Return the sources of a released notebook's cells; none if there is no file."""
    if not path.is_file():
        return set()
    notebook = cast(Any, nbformat).read(path, as_version=4)
    return {cell.source for cell in notebook.cells}


def _names(cells: Iterable[Any]) -> set[str]:
    return {cell.name for cell in cells}
