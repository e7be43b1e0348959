"""Transactions that are ours to begin, in SQLite too: some only read, and some write."""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

from sqlalchemy import Connection, Engine, event

_WRITES = "hotloop_writes"


def prepare(engine: Engine, busy_ms: int, pragmas: Sequence[str] = ()) -> None:
    """Once for each new engine; with another database than SQLite nothing is to be done.

    busy_ms: how long SQLite itself waits for a lock. pragmas: what else each connection is told.
    """
    if engine.dialect.name != "sqlite":
        return
    settings = (f"busy_timeout = {busy_ms}", "foreign_keys = ON", *pragmas)

    def connected(connection: Any, _record: Any) -> None:
        # Python's module would begin transactions late, and at the first write.
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
    """A transaction that writes; with SQLite the only one that does."""
    with engine.connect() as connection:
        connection = connection.execution_options(**{_WRITES: True})
        with connection.begin():
            yield connection


def _begin(connection: Connection) -> None:
    writes = connection.get_execution_options().get(_WRITES)
    # To become a writer halfway may fail without any waiting.
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
