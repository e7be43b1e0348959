"""A site's database: a SQLite file, or PostgreSQL by its URL, with the same tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    Engine,
    Integer,
    MetaData,
    String,
    Table,
    TypeDecorator,
    create_engine,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hotloop.core.transactions import prepare, writing
from hotloop.core.user_error import UserError

BUSY_MS = 30_000
"""Milliseconds that a writer waits for another one; a transaction takes milliseconds."""

STOPPED_MS = 15_000
"""Milliseconds after which PostgreSQL ends a transaction in which nothing happens any more.

A server that is stopped, or cut off from the network, would otherwise keep the others from writing.
"""

_ON_SERVER = (
    f"lock_timeout = {BUSY_MS}",
    f"idle_in_transaction_session_timeout = {STOPPED_MS}",
)

metadata = MetaData()
"""All tables of all sites; a database has only those of its own site."""

formats = Table(
    "site_format",
    metadata,
    Column("site", String(20), primary_key=True),
    Column("format", Integer, nullable=False),
)


class DatabaseUnavailable(UserError):
    """The database does not exist or belongs to another site. The text is one sentence."""


class Utc(TypeDecorator[datetime]):
    """A time in UTC, independent of the database's time zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Convert a datetime to UTC without a zone, for storage."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """Add the zone UTC to a stored datetime."""
        return None if value is None else value.replace(tzinfo=UTC)


def connect(url: str, default: Path, site: str, version: int, tables: Sequence[Table]) -> Engine:
    """Open a site's database and create missing tables. Raises DatabaseUnavailable with the reason.

    url: "" for the SQLite file `default`. site: kind of site. version: of the tables' format.
    """
    try:
        parsed = make_url(url or f"sqlite:///{default}")
        is_server = parsed.get_backend_name() == "postgresql"
        engine = create_engine(parsed, pool_pre_ping=is_server)
    except (ArgumentError, NoSuchModuleError) as error:
        raise DatabaseUnavailable(f"This is no database's URL: {error}.") from None
    except ModuleNotFoundError as error:
        raise DatabaseUnavailable(
            f"The database needs the package {error.name}: PostgreSQL's comes with "
            "`pip install 'hotloop[postgres]'`."
        ) from None
    # WAL lets pages read while the queue is written.
    prepare(engine, BUSY_MS, ("journal_mode = WAL", "synchronous = FULL"), _ON_SERVER)
    try:
        _create(engine, site, version, tables)
    except SQLAlchemyError as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise DatabaseUnavailable(f"The database does not answer as it must: {reason}.") from None
    return engine


def _create(engine: Engine, site: str, version: int, tables: Sequence[Table]) -> None:
    of_site = select(formats.c.format).where(formats.c.site == site)
    with writing(engine) as connection:
        metadata.create_all(connection, tables=[formats, *tables])
        stored = connection.execute(of_site).scalar_one_or_none()
        if stored is None:
            connection.execute(insert(formats).values(site=site, format=version))
    if stored not in (None, version):
        engine.dispose()
        raise DatabaseUnavailable(
            f"The database is of format {stored}, and this Hotloop knows {version}: "
            "use the Hotloop that made it."
        )
