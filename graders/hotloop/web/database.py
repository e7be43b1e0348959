"""A site's own database: a SQLite file, or PostgreSQL by its URL, through the same tables."""

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

from hotloop.core.user_error import UserError
from hotloop.transactions import prepare, writing

BUSY_MS = 30_000
"""How long a writer waits for another one; each of our transactions takes milliseconds."""

metadata = MetaData()
"""Of all tables of all sites; a database has those of its own site."""

formats = Table(
    "site_format",
    metadata,
    Column("site", String(20), primary_key=True),
    Column("format", Integer, nullable=False),
)


class DatabaseUnavailable(UserError):
    """There is no such database, or it is not this site's. The text is one sentence."""


class Utc(TypeDecorator[datetime]):
    """A moment, in UTC whatever the database thinks of time zones."""

    impl = DateTime
    cache_ok = True

    def process_bind_param(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """As it is stored: UTC, and no zone."""
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    def process_result_value(
        self,
        value: datetime | None,
        dialect: Dialect,  # noqa: ARG002
    ) -> datetime | None:
        """As the program has it: with its zone."""
        return None if value is None else value.replace(tzinfo=UTC)


def connect(url: str, default: Path, site: str, version: int, tables: Sequence[Table]) -> Engine:
    """The database of a kind of site, with its tables. DatabaseUnavailable says what is in the way.

    default: the SQLite file where no URL is given. version: of the tables' format.
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
    # Pages are read while the queue is written.
    prepare(engine, BUSY_MS, ("journal_mode = WAL", "synchronous = FULL"))
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
        found = connection.execute(of_site).scalar_one_or_none()
        if found is None:
            connection.execute(insert(formats).values(site=site, format=version))
    if found not in (None, version):
        engine.dispose()
        raise DatabaseUnavailable(
            f"The database is of format {found}, and this Hotloop knows {version}: "
            "use the Hotloop that made it."
        )
