"""The tables as queries see them. The database gets them from `migrations`, not from here."""

import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
)

LONG = 2048
"""Bytes of JSON from which on it is compressed."""


class UtcTime(TypeDecorator[datetime]):
    """A time that knows its zone. SQLite keeps none: there it is written, and read, as UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """ValueError for a time without a zone: nobody could say what it means."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"the time {value} has no zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """The time in UTC, from either kind of database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class JsonText(TypeDecorator[str]):
    """JSON as text, compressed where it is long.

    A compressed stream begins with an "x", with which no JSON begins.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """ValueError for what cannot be JSON."""
        if value is None:
            return None
        data = value.encode()
        if data[:1] == b"x":
            raise ValueError("the document is no JSON text")
        return zlib.compress(data) if len(data) > LONG else data

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        """The text as it was given."""
        if value is None:
            return None
        data = bytes(value)
        return (zlib.decompress(data) if data[:1] == b"x" else data).decode()


METADATA = MetaData()

attempts = Table(
    "hotloop_attempts",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("student", String, nullable=False),
    Column("module", String, nullable=False),
    Column("digest", String, nullable=False),
    Column("grader", String, nullable=False),
    Column("graded", UtcTime, nullable=False),
    Column("document", JsonText, nullable=False),
)
"""An attempt is its document; the other columns find it."""

events = Table(
    "hotloop_events",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("who", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("student", String, nullable=False),
    Column("module", String, nullable=False),
    Column("attempt_id", Integer, ForeignKey("hotloop_attempts.id")),
    Column("batch", String, nullable=False),
    Column("why", Text, nullable=False),
    Column("old_points", Float),
    Column("new_points", Float),
    Column("old_pending", Float),
    Column("new_pending", Float),
)

forgetting = Table(
    "hotloop_forgetting", METADATA, Column("student", String, primary_key=True, nullable=False)
)
"""Whose rows the transaction that wrote this may delete. Always empty for everybody else."""
