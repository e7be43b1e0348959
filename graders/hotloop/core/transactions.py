"""Explicit read and write transactions: those that write take turns, also on PostgreSQL."""

import sqlite3
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

LOCK = 0x686F746C
"""Key of the PostgreSQL advisory lock that Hotloop's writers take."""

_WRITES = "hotloop_writes"


def prepare(
    engine: Engine, busy_ms: int, pragmas: Sequence[str] = (), settings: Sequence[str] = ()
) -> None:
    """Configure a new engine for `reading` and `writing`.

    busy_ms: how long SQLite waits for a lock. pragmas: further settings of each connection to
    SQLite. settings: of each connection to PostgreSQL.
    """
    is_sqlite = engine.dialect.name == "sqlite"
    own = [f"busy_timeout = {busy_ms}", "foreign_keys = ON", *pragmas]
    statements = [f"PRAGMA {one}" for one in own] if is_sqlite else [f"SET {s}" for s in settings]

    def connected(connection: Any, _record: Any) -> None:
        if is_sqlite:
            # Python's sqlite3 would begin transactions late, at the first write.
            connection.isolation_level = None
        for statement in statements:
            _set(connection, statement, busy_ms)
        connection.commit()

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", _begin_sqlite if is_sqlite else _begin_postgresql)


def _set(connection: Any, statement: str, busy_ms: int) -> None:
    """Execute a setting. SQLite does not itself wait for others when it changes to a WAL."""
    end = time.monotonic() + busy_ms / 1000
    while True:
        try:
            connection.execute(statement)
        except sqlite3.OperationalError as error:
            if "locked" not in str(error) or time.monotonic() > end:
                raise
        else:
            return
        time.sleep(0.01)


@contextmanager
def reading(engine: Engine) -> Generator[Connection]:
    """A transaction that only reads, all of it from one moment."""
    with engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """A transaction that writes, one at a time in a database.

    What it reads does not change until its end.
    """
    with engine.connect() as connection:
        connection = connection.execution_options(**{_WRITES: True})
        with connection.begin():
            yield connection


def _begin_sqlite(connection: Connection) -> None:
    # Upgrading a read transaction to a write can fail at once, without waiting for the lock.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if _writes(connection) else "BEGIN")


def _begin_postgresql(connection: Connection) -> None:
    if _writes(connection):
        connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({LOCK})")
    else:
        connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")


def _writes(connection: Connection) -> bool:
    return bool(connection.get_execution_options().get(_WRITES))
