"""Connections to the gradebook's database."""

import sqlite3
from typing import Any

from sqlalchemy import Engine, create_engine, event, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from hotloop.core import transactions
from hotloop.course.attempts.database_retry import StoreUnavailable

BUSY_MS = 1000
"""How long SQLite waits for a lock. Short, since it ignores Ctrl-C meanwhile; callers retry."""

LONGEST_LOCK_MS = 60_000
"""How long nbgrader's own connections wait, since nbgrader does not retry."""

CONNECT_S = 10
"""Seconds after which a silent server counts as unreachable."""


def connect(url: str) -> Engine:
    """Return an engine without a pool, since this process may fork at any time.

    SQLite's journal mode stays nbgrader's. With a write-ahead log, copying gradebook.db, as
    nbgrader's `db upgrade` does for its backup, would miss the content of the log, and such a log
    does not work on network file systems.
    """
    try:
        parsed = make_url(url)
        known = {"connect_timeout": CONNECT_S} if parsed.get_backend_name() == "postgresql" else {}
        engine = create_engine(parsed, poolclass=NullPool, connect_args=known)
    except (ArgumentError, NoSuchModuleError) as error:
        raise StoreUnavailable(
            f"`c.CourseDirectory.db_url` is no database's URL: {error}"
        ) from None
    except ModuleNotFoundError as error:
        raise StoreUnavailable(
            f"The course's database needs the package {error.name}: "
            "install PostgreSQL's with `pip install 'hotloop[postgres]'`."
        ) from None
    # What is deleted is overwritten, also by a SQLite that was not built to do so.
    transactions.prepare(engine, BUSY_MS, ["secure_delete = ON"])
    return engine


def wait_for_locks() -> None:
    """Make all SQLite connections of this process wait for locks; those of `connect` retry.

    nbgrader opens its gradebook with the five seconds of Python's module, and gives up on a
    submission after them.
    """
    if not event.contains(Engine, "connect", _wait_long):
        event.listen(Engine, "connect", _wait_long)


def shown(url: str) -> str:
    """Return a database URL for display: the path of a file, and without password."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        return parsed.database
    return parsed.render_as_string(hide_password=True)


def _wait_long(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute(f"PRAGMA busy_timeout = {LONGEST_LOCK_MS}")
