"""nbgrader's gradebook within a transaction of ours.

What nbgrader's own methods commit is committed when that transaction is, together with the attempt
and the event that it belongs to: all of it, or nothing. Nor is the database opened anew each time,
which costs nbgrader 66 ms.
"""

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from nbgrader.api import (
    Assignment,
    Grade,
    Gradebook,
    Notebook,
    SubmittedAssignment,
    SubmittedNotebook,
)
from sqlalchemy import Connection
from sqlalchemy.orm import Session, joinedload, undefer

from hotloop.course.attempts.store import store

ResultT = TypeVar("ResultT")


class Joined(Gradebook):
    """A gradebook over a connection that is in a transaction: nbgrader's tables must be there."""

    def __init__(self, connection: Connection, course_id: str = "") -> None:
        self.engine = connection.engine
        # With a session's own commits, only what it holds is written. Nobody else writes before the
        # connection's transaction ends, so that nothing needs to be loaded again after a commit.
        self.db = cast(
            Any,
            Session(bind=connection, join_transaction_mode="rollback_only", expire_on_commit=False),
        )
        self.course_id = course_id
        self.authenticator = None


@contextmanager
def joined(connection: Connection, course_id: str = "") -> Generator[Any]:
    """The gradebook, whose changes are written to the connection at the end."""
    gradebook = Joined(connection, course_id)
    with gradebook.db as session:
        yield gradebook
        session.flush()


def read(root: Path, work: Callable[[Any], ResultT]) -> ResultT:
    """What `work` makes of the gradebook of the course at `root`. It may be run more than once."""

    def within(connection: Connection) -> ResultT:
        with joined(connection) as gradebook:
            return work(gradebook)

    return store(root).read(within)


def grades(
    gradebook: Gradebook, assignment: str | None = None, student: str | None = None
) -> list[Any]:
    """Learner, assignment, notebook, late penalty and grade, by learner.

    One query, where nbgrader's own objects would ask for each grade. assignment, student: only
    those, by name.
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
    """The tables without types: nbgrader declares none for their columns."""
    return tables
