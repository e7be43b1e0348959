"""Uses nbgrader's gradebook inside a transaction of Hotloop.

What nbgrader's methods commit is committed with that transaction, together with its attempt and
event, or not at all. This also avoids opening the database each time, which takes nbgrader 66 ms.

Submissions of a class are read and made together: nbgrader's objects query for each submission,
notebook and cell on their own.
"""

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, TypeVar, cast

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    MissingEntry,
    Notebook,
    Student,
    SubmittedAssignment,
    SubmittedNotebook,
)
from nbgrader.utils import compute_checksum, parse_utc
from sqlalchemy import Connection
from sqlalchemy.orm import Session, contains_eager, joinedload, selectinload, undefer

from hotloop.course import nodes
from hotloop.course.attempts.store import store

ResultT = TypeVar("ResultT")
Place = tuple[str, str]
"""A submission: learner and module."""
AT_ONCE = 400
"""Most submissions in one query: older versions of SQLite take 999 values."""


class _Session(Session):
    """A session in which nbgrader's commits do nothing: the connection's transaction commits.

    Changes are flushed together, before the next query or by `joined`.
    """

    def commit(self) -> None:
        """Do nothing."""


class Joined(Gradebook):
    """A gradebook on a connection with an open transaction; nbgrader's tables must exist."""

    def __init__(self, connection: Connection, course_id: str = "") -> None:
        self.engine = connection.engine
        self.db = cast(Any, _Session(bind=connection, join_transaction_mode="rollback_only"))
        self.course_id = course_id
        self.authenticator = None


@contextmanager
def joined(connection: Connection, course_id: str = "") -> Generator[Any]:
    """Yield the gradebook; flush its changes to the connection at the end."""
    gradebook = Joined(connection, course_id)
    with gradebook.db as session:
        yield gradebook
        session.flush()


def read(root: Path, work: Callable[[Any], ResultT]) -> ResultT:
    """Return the result of `work` on the gradebook of the course at `root`.

    It may run repeatedly.
    """

    def within(connection: Connection) -> ResultT:
        with joined(connection) as gradebook:
            return work(gradebook)

    return store(root).read(within)


def submissions(gradebook: Any, places: Iterable[Place]) -> dict[Place, Any]:
    """Return those of the submissions that exist.

    Their notebooks, grades and comments are loaded with them.
    """
    wanted = dict.fromkeys(places)
    handed_in, assigned = _tables(SubmittedAssignment, Assignment)
    notebooks = selectinload(handed_in.notebooks)
    (notebook,) = _tables(SubmittedNotebook)
    by_place: dict[Place, Any] = {}
    for some in _groups(wanted):
        query = (
            gradebook.db.query(handed_in)
            .join(handed_in.assignment)
            .filter(handed_in.student_id.in_({student for student, _ in some}))
            .filter(assigned.name.in_({module for _, module in some}))
            .options(
                contains_eager(handed_in.assignment),
                notebooks.selectinload(notebook.grades),
                notebooks.selectinload(notebook.comments),
            )
        )
        by_place |= {(one.student_id, one.assignment.name): one for one in query}
    return {place: by_place[place] for place in wanted if place in by_place}


def places(gradebook: Any) -> set[Place]:
    """Return learner and assignment of all submissions in the gradebook."""
    handed_in, assigned = _tables(SubmittedAssignment, Assignment)
    query = gradebook.db.query(handed_in.student_id, assigned.name).join(handed_in.assignment)
    return {(student, module) for student, module in query}


def submitted(gradebook: Any, handed_in: Iterable[tuple[str, str, str]]) -> dict[Place, Any]:
    """Return the submissions; create those that do not exist, as nbgrader's autograde does.

    handed_in: learner, module and time as nbgrader recorded it, or "". New submissions and times
    are not flushed.
    """
    times = {(student, module): time for student, module, time in handed_in}
    by_place = submissions(gradebook, times)
    new = [place for place in times if place not in by_place]
    _add_students(gradebook, {student for student, _ in new})
    with gradebook.db.no_autoflush:
        for student, module in new:
            by_place[student, module] = gradebook.add_submission(module, student)
    for place, time in times.items():
        by_place[place].timestamp = parse_utc(time) if time else None
    return by_place


def _add_students(gradebook: Any, students: set[str]) -> None:
    (student,) = _tables(Student)
    for some in _groups(students):
        query = gradebook.db.query(student.id).filter(student.id.in_(some))
        for name in sorted(set(some) - {row.id for row in query}):
            gradebook.add_student(name)
    gradebook.db.flush()


def cells_by_id(submitted_notebook: Any) -> dict[str, Any]:
    """Return the cells that have grades or comments."""
    notebook = submitted_notebook.notebook
    cells = [*notebook.grade_cells, *notebook.solution_cells, *notebook.task_cells]
    return {cell.id: cell for cell in cells}


def worth_of_cells(gradebook: Any, module: str) -> dict[str, float]:
    """Return the points of an assignment's graded cells; empty if it was never released."""
    return {cell.name: float(cell.max_score) for cell in _graded_cells(gradebook, module)}


def set_worth_of_cells(gradebook: Any, module: str, points: Mapping[str, float]) -> None:
    """Set the points of graded cells, and the checksums, which depend on them."""
    for cell in _graded_cells(gradebook, module):
        if cell.name not in points or cell.max_score == points[cell.name]:
            continue
        cell.max_score = points[cell.name]
        for source in cell.notebook.source_cells:
            if source.name == cell.name:
                source.checksum = _checksum(source, cell)


def _graded_cells(gradebook: Any, module: str) -> list[Any]:
    try:
        notebooks = gradebook.find_assignment(module).notebooks
    except MissingEntry:
        return []
    return [cell for one in notebooks for cell in (*one.grade_cells, *one.task_cells)]


def _checksum(source: Any, cell: Any) -> str:
    """Return nbgrader's checksum of a released cell, by which it knows an untouched answer."""
    is_solution = any(each.name == cell.name for each in cell.notebook.solution_cells)
    marks = {
        "grade_id": cell.name,
        "grade": cell in cell.notebook.grade_cells,
        "solution": is_solution,
        "locked": bool(source.locked),
        "points": cell.max_score,
    }
    node = {"cell_type": source.cell_type, "source": source.source, "metadata": {"nbgrader": marks}}
    return compute_checksum(nodes.of(node))


def _groups(values: Iterable[ResultT]) -> Iterator[list[ResultT]]:
    left = iter(values)
    while some := list(islice(left, AT_ONCE)):
        yield some


def grades(
    gradebook: Gradebook, assignment: str | None = None, student: str | None = None
) -> list[Any]:
    """Return learner, assignment, notebook, late penalty and grade, sorted by learner.

    It is one query, where nbgrader's objects would query for each grade. assignment, student: names
    to restrict it to.
    """
    handed_in, submitted, grade = _tables(SubmittedAssignment, SubmittedNotebook, Grade)
    assigned, notebook = _tables(Assignment, Notebook)
    query = (
        cast(Any, gradebook)
        .db.query(
            handed_in.student_id,
            assigned.name,
            notebook.name,
            submitted.late_submission_penalty,
            grade,
        )
        .select_from(grade)
        .join(submitted, grade.notebook_id == submitted.id)
        .join(handed_in, submitted.assignment_id == handed_in.id)
        .join(assigned, handed_in.assignment_id == assigned.id)
        .join(notebook, submitted.notebook_id == notebook.id)
        .options(undefer(grade.max_score), undefer(grade.cell_type), joinedload(grade.cell))
    )
    if assignment is not None:
        query = query.filter(assigned.name == assignment)
    if student is not None:
        query = query.filter(handed_in.student_id == student)
    return query.order_by(handed_in.student_id).all()


def _tables(*tables: type) -> tuple[Any, ...]:
    """Return the tables as Any: nbgrader declares no types for their columns."""
    return tables
