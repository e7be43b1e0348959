"""Connections to the gradebook's database, and transactions in it that write."""

import sqlite3
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event, make_url, text
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from hotloop import transactions
from hotloop.course.attempts.patience import StoreUnavailable

BUSY_MS = 1000
"""How long SQLite itself waits for a lock. Short, because it is deaf to Ctrl-C meanwhile; whoever
calls tries again."""

LONGEST_LOCK_MS = 60_000
"""How long nbgrader's own connections wait, since nbgrader does not try again."""

CONNECT_S = 10
"""Seconds after which a server that says nothing is taken for gone."""

LOCK = 0x686F746C
"""Of PostgreSQL's advisory locks, the one that our writers take."""


def connect(url: str) -> Engine:
    """An engine without a pool: a process may be forked from this one at any time.

    SQLite's journal stays as nbgrader has it. With a write-ahead log, whoever copies gradebook.db,
    as nbgrader's own `db upgrade` does for its backup, would miss what is only in the log, and such
    a log does not work on a network's file system.
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
    """Let every SQLite connection of this process wait for locks; those of `connect` try again.

    nbgrader opens its gradebook with the five seconds of Python's module, and gives a submission up
    after them.
    """
    if not event.contains(Engine, "connect", _wait_long):
        event.listen(Engine, "connect", _wait_long)


def shown(url: str) -> str:
    """A database's URL as people may see it: the path of a file, and no password."""
    parsed = make_url(url)
    if parsed.get_backend_name() == "sqlite" and parsed.database:
        return parsed.database
    return parsed.render_as_string(hide_password=True)


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """A transaction that is the only one of ours that writes: what it reads stays so until its end,
    and events are numbered in the order in which they come to be seen.
    """
    with transactions.writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": LOCK})
        yield connection


def _wait_long(connection: Any, _record: Any) -> None:
    if isinstance(connection, sqlite3.Connection):
        connection.execute(f"PRAGMA busy_timeout = {LONGEST_LOCK_MS}")
