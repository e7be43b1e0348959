"""The tables of attempts and events; `schema` makes them."""

import zlib
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    Float,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
)

LONG = 2048
"""Bytes of JSON above which it is compressed."""


class UtcTime(TypeDecorator[datetime]):
    """A datetime with time zone. SQLite has no zones, so it is stored there in UTC."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        """Convert for storage. Raises ValueError for a datetime without a zone."""
        if value is None:
            return None
        if value.tzinfo is None:
            raise ValueError(f"the time {value} has no zone")
        value = value.astimezone(UTC)
        return value.replace(tzinfo=None) if dialect.name == "sqlite" else value

    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:  # noqa: ARG002
        """Return the time in UTC, from either kind of database."""
        if value is None:
            return None
        return value.replace(tzinfo=UTC) if value.tzinfo is None else value.astimezone(UTC)


class JsonText(TypeDecorator[str]):
    """JSON text, compressed if long.

    A compressed stream begins with "x", which no JSON text does.
    """

    impl = LargeBinary
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> bytes | None:  # noqa: ARG002
        """Encode for storage. Raises ValueError for text that cannot be JSON."""
        if value is None:
            return None
        data = value.encode()
        if data[:1] == b"x":
            raise ValueError("the document is no JSON text")
        return zlib.compress(data) if len(data) > LONG else data

    def process_result_value(self, value: Any, dialect: Dialect) -> str | None:  # noqa: ARG002
        """Return the original text."""
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
    UniqueConstraint(
        "student", "module", "digest", "grader", "graded", name="hotloop_attempts_key"
    ),
    # Never reuse the id of a deleted row.
    sqlite_autoincrement=True,
)
"""An attempt is stored as a document; the other columns are for lookup."""

events = Table(
    "hotloop_events",
    METADATA,
    Column("id", Integer, primary_key=True),
    Column("at", UtcTime, nullable=False),
    Column("who", String, nullable=False),
    Column("kind", String, nullable=False),
    Column("student", String, nullable=False),
    Column("module", String, nullable=False),
    Column("attempt_id", Integer, ForeignKey("hotloop_attempts.id"), index=True),
    Column("batch", String, nullable=False),
    Column("why", Text, nullable=False),
    Column("old_points", Float),
    Column("new_points", Float),
    Column("old_pending", Float),
    Column("new_pending", Float),
    Column("document", JsonText),
    Index("hotloop_events_submission", "student", "module", "kind", "id"),
    sqlite_autoincrement=True,
)

forgetting = Table(
    "hotloop_forgetting", METADATA, Column("student", String, primary_key=True, nullable=False)
)
"""Students whose rows the current transaction may delete; empty for all other transactions."""
