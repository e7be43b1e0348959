"""The cells of a released notebook, as nbgrader's gradebook remembers them."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, cast

from nbgrader.api import Gradebook, MissingEntry

from hotloop.course.gradebook_dialect import gradebook_url


@dataclass(frozen=True)
class ReleasedCell:
    """One cell that nbgrader keeps track of. points is None where nothing is graded."""

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
        """True for a cell that a submission must have, because it is graded."""
        return self.grade or self.task

    def metadata(self) -> dict[str, Any]:
        """The cell's nbgrader metadata, in the current schema."""
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


@contextmanager
def remembering() -> Generator[None]:
    """Within it, what was released is read once: a batch is graded as released when it began."""
    _remembered.append({})
    try:
        yield
    finally:
        _remembered.pop()


_remembered: list[dict[tuple[str, ...], Any]] = []


def notebook_ids(db_url: str, assignment: str) -> list[str]:
    """Names of the assignment's notebooks; none when it was never released."""
    return list(_known(_read_notebook_ids, db_url, assignment))


def released_cells(db_url: str, assignment: str, notebook: str) -> list[ReleasedCell]:
    """The cells in the notebook's order. MissingEntry when there is no such notebook."""
    return list(_known(_read_released_cells, db_url, assignment, notebook))


def _known(read: Callable[..., list[Any]], *names: str) -> list[Any]:
    if not _remembered:
        return read(*names)
    known = _remembered[-1]
    if names not in known:
        known[names] = read(*names)
    return known[names]


def _read_notebook_ids(db_url: str, assignment: str) -> list[str]:
    with Gradebook(gradebook_url(db_url)) as gradebook:
        try:
            return sorted(str(notebook.name) for notebook in _find(gradebook, assignment))
        except MissingEntry:
            return []


def _read_released_cells(db_url: str, assignment: str, notebook: str) -> list[ReleasedCell]:
    with Gradebook(gradebook_url(db_url)) as gradebook:
        found = cast(Any, gradebook).find_notebook(notebook, assignment)
        points = {c.name: float(c.max_score) for c in [*found.grade_cells, *found.task_cells]}
        grade = _names(found.grade_cells)
        solution = _names(found.solution_cells)
        task = _names(found.task_cells)
        return [
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
            for cell in found.source_cells
        ]


def reset_grades(db_url: str, assignment: str, student: str) -> None:
    """Make all automatic grades of a submission pending, so that no old one outlives a failure.

    What a person has graded stays.
    """
    with Gradebook(gradebook_url(db_url)) as gradebook:
        try:
            submission = cast(Any, gradebook).find_submission(assignment, student)
        except MissingEntry:
            return
        for notebook in submission.notebooks:
            for grade in notebook.grades:
                grade.auto_score = None
                grade.needs_manual_grade = True
        cast(Any, gradebook).db.commit()


def set_handed_in(db_url: str, assignment: str, student: str, time: str) -> None:
    """Set when a submission came, which lateness goes by; an empty text for no time at all."""
    with Gradebook(gradebook_url(db_url)) as gradebook:
        cast(Any, gradebook).update_or_create_submission(
            assignment, student, timestamp=time or None
        )


def _find(gradebook: Gradebook, assignment: str) -> Iterable[Any]:
    return cast(Any, gradebook).find_assignment(assignment).notebooks


def _names(cells: Iterable[Any]) -> set[str]:
    return {cell.name for cell in cells}
