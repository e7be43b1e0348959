"""Explicit read and write transactions, also with SQLite."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

_WRITES = "hotloop_writes"


def prepare(engine: Engine, busy_ms: int, pragmas: Sequence[str] = ()) -> None:
    """Configure a new engine; does nothing unless it is SQLite.

    busy_ms: how long SQLite waits for a lock. pragmas: further settings of each connection.
    """
    if engine.dialect.name != "sqlite":
        return
    settings = (f"busy_timeout = {busy_ms}", "foreign_keys = ON", *pragmas)

    def connected(connection: Any, _record: Any) -> None:
        # Python's sqlite3 would begin transactions late, at the first write.
        connection.isolation_level = None
        for setting in settings:
            connection.execute(f"PRAGMA {setting}")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", _begin)


@contextmanager
def reading(engine: Engine) -> Generator[Connection]:
    """A transaction that only reads."""
    with engine.connect() as connection, connection.begin():
        yield connection


@contextmanager
def writing(engine: Engine) -> Generator[Connection]:
    """A transaction that writes; SQLite allows one at a time."""
    with engine.connect() as connection:
        connection = connection.execution_options(**{_WRITES: True})
        with connection.begin():
            yield connection


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    # Upgrading a read transaction to a write can fail at once, without waiting for the lock.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
