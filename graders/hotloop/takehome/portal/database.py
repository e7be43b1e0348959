"""The portal's own database: a SQLite file in the team's folder, or PostgreSQL by its URL."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import (
    Column,
    DateTime,
    Dialect,
    Engine,
    ForeignKey,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    UniqueConstraint,
    create_engine,
    insert,
    make_url,
    select,
)
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, SQLAlchemyError

from hotloop.core.user_error import UserError
from hotloop.transactions import prepare, writing

FOLDER = "portal"
FILE = "portal.db"
FORMAT = 1
BUSY_MS = 30_000
"""How long a writer waits for another one; each of our transactions takes milliseconds."""


class DatabaseUnavailable(UserError):
    """There is no such database, or it is not this portal's. The text is one sentence."""


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


_metadata = MetaData()

formats = Table("portal_format", _metadata, Column("format", Integer, primary_key=True))

accounts = Table(
    "portal_accounts",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(60), nullable=False, unique=True),
    Column("password", String(200), nullable=False),
    Column("made", Utc, nullable=False),
)

sessions = Table(
    "portal_sessions",
    _metadata,
    # SHA-256 of what the cookie holds: who reads the table can open no session.
    Column("digest", String(64), primary_key=True),
    Column(
        "account",
        Integer,
        ForeignKey("portal_accounts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("csrf", String(64), nullable=False),
    Column("seen", Utc, nullable=False),
    Column("expires", Utc, nullable=False),
)

links = Table(
    "portal_links",
    _metadata,
    Column("id", String(36), primary_key=True),
    Column("pack", String(36), nullable=False, unique=True),
    Column("digest", String(64), nullable=False, unique=True),
    Column("expires", Utc, nullable=False),
)

gradings = Table(
    "portal_gradings",
    _metadata,
    Column("id", Integer, primary_key=True),
    Column("pack", String(36), nullable=False),
    # Of the submission.
    Column("digest", String(64), nullable=False),
    Column("state", String(10), nullable=False, index=True),
    Column("tries", Integer, nullable=False),
    Column("queued", Utc, nullable=False),
    Column("began", Utc),
    Column("ended", Utc),
    Column("graded", Integer, nullable=False),
    Column("problem", Text, nullable=False),
    UniqueConstraint("pack", "digest"),
)


def default_url(team: Path) -> str:
    """The file that is used where no database is named."""
    return f"sqlite:///{team / FOLDER / FILE}"


def own_folder(team: Path) -> Path:
    """What the portal keeps beside the database; made where it is missing."""
    folder = team / FOLDER
    folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def connect(team: Path, url: str = "") -> Engine:
    """The portal's database, with its tables. DatabaseUnavailable says what is in the way."""
    own_folder(team)
    try:
        parsed = make_url(url or default_url(team))
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
        _create(engine)
    except SQLAlchemyError as error:
        engine.dispose()
        reason = str(getattr(error, "orig", None) or error).splitlines()[0]
        raise DatabaseUnavailable(f"The database does not answer as it must: {reason}.") from None
    return engine


def _create(engine: Engine) -> None:
    with writing(engine) as connection:
        _metadata.create_all(connection)
        found = connection.execute(select(formats.c.format)).scalars().all()
        if not found:
            connection.execute(insert(formats).values(format=FORMAT))
    if found and list(found) != [FORMAT]:
        engine.dispose()
        raise DatabaseUnavailable(
            f"The database is of format {found[0]}, and this Hotloop knows {FORMAT}: "
            "use the Hotloop that made it."
        )
