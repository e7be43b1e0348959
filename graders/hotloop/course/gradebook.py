"""nbgrader's gradebook within a transaction of ours.

What nbgrader's own methods commit is committed when that transaction is, together with the attempt
and the event that it belongs to: all of it, or nothing. Nor is the database opened anew each time,
which costs nbgrader 66 ms.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar, cast

from nbgrader.api import Gradebook
from sqlalchemy import Connection
from sqlalchemy.orm import Session

from hotloop.course.attempts.store import store

ResultT = TypeVar("ResultT")


class Joined(Gradebook):
    """A gradebook over a connection that is in a transaction: nbgrader's tables must be there."""

    def __init__(self, connection: Connection, course_id: str = "") -> None:
        self.engine = connection.engine
        # With a session's own commits, only what it holds is written.
        self.db = cast(Any, Session(bind=connection, join_transaction_mode="rollback_only"))
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
