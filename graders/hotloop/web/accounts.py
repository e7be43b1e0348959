"""Who may come in, and who is logged in: names, roles and sessions."""

from __future__ import annotations

import hmac
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    Column,
    Connection,
    Engine,
    ForeignKey,
    Integer,
    Row,
    String,
    Table,
    delete,
    func,
    insert,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from hotloop.core.user_error import UserError
from hotloop.transactions import reading, writing
from hotloop.web.database import Utc, metadata
from hotloop.web.secret import digest

IDLE = timedelta(hours=8)
LONGEST = timedelta(hours=24)
_SEEN_AGAIN = timedelta(minutes=1)
"""How exact the time is at which a session was last used: pages need not write each time."""

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(60), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    # Its hash; empty for whoever comes in by a link.
    Column("password", String(200), nullable=False),
    Column("made", Utc, nullable=False),
)

sessions = Table(
    "sessions",
    metadata,
    # SHA-256 of what the cookie holds: who reads the table can open no session.
    Column("digest", String(64), primary_key=True),
    Column(
        "account",
        Integer,
        ForeignKey("accounts.id", ondelete="CASCADE"),
        nullable=False,
        index=True,
    ),
    Column("csrf", String(64), nullable=False),
    Column("seen", Utc, nullable=False),
    Column("expires", Utc, nullable=False),
)


class AccountError(UserError):
    """There can be no such account, or is none. The text is one sentence."""


@dataclass(frozen=True)
class Member:
    """Who is logged in. csrf: what every form of this session carries. session: its digest."""

    account: int
    name: str
    role: str
    csrf: str = field(repr=False)
    session: str = field(repr=False)

    def wrote(self, csrf: str) -> bool:
        """Whether a form with this token came from a page of this session."""
        return hmac.compare_digest(self.csrf.encode(), csrf.encode())


def count(engine: Engine) -> int:
    """How many accounts there are."""
    with reading(engine) as connection:
        return connection.execute(select(func.count()).select_from(accounts)).scalar_one()


def names(engine: Engine) -> list[str]:
    """The names of all accounts, in order."""
    with reading(engine) as connection:
        return list(connection.execute(select(accounts.c.name).order_by(accounts.c.name)).scalars())


def add(engine: Engine, name: str, role: str, password: str = "") -> int:
    """A new account; its number. AccountError where there is one of that name.

    password: its hash.
    """
    values = {"name": name, "role": role, "password": password, "made": datetime.now(UTC)}
    try:
        with writing(engine) as connection:
            made = connection.execute(insert(accounts).values(values).returning(accounts.c.id))
            return made.scalar_one()
    except IntegrityError:
        raise AccountError(f"There is an account {name} already.") from None


def remove(engine: Engine, name: str) -> None:
    """Delete the account and its sessions. AccountError when there is none."""
    with writing(engine) as connection:
        found = required(connection, name)
        connection.execute(delete(accounts).where(accounts.c.id == found.id))


def find(engine: Engine, name: str) -> Row[int, str, str] | None:
    """Number, role and hashed password of an account; None where there is none."""
    with reading(engine) as connection:
        return _by_name(connection, name)


def required(connection: Connection, name: str) -> Row[int, str, str]:
    """Likewise. AccountError where there is none."""
    found = _by_name(connection, name)
    if found is None:
        raise AccountError(f"There is no account {name}.")
    return found


def log_in(engine: Engine, account: int, replaces: str = "", now: datetime | None = None) -> str:
    """A new session; what its cookie holds. replaces: the cookie that the browser had before."""
    now = now or datetime.now(UTC)
    token = secrets.token_urlsafe(32)
    row = {
        "digest": digest(token),
        "account": account,
        "csrf": secrets.token_urlsafe(32),
        "seen": now,
        "expires": now + LONGEST,
    }
    with writing(engine) as connection:
        over = sessions.c.expires < now
        connection.execute(delete(sessions).where(over | (sessions.c.digest == digest(replaces))))
        connection.execute(insert(sessions).values(row))
    return token


def member(engine: Engine, token: str, now: datetime | None = None) -> Member | None:
    """Whose session the cookie is; None when there is none, or it is over."""
    now = now or datetime.now(UTC)
    query = (
        select(sessions, accounts.c.name, accounts.c.role)
        .join(accounts, accounts.c.id == sessions.c.account)
        .where(sessions.c.digest == digest(token))
    )
    with reading(engine) as connection:
        found = connection.execute(query).one_or_none()
    if found is None or found.expires < now or found.seen + IDLE < now:
        return None
    if now - found.seen > _SEEN_AGAIN:
        with writing(engine) as connection:
            connection.execute(
                update(sessions).where(sessions.c.digest == found.digest).values(seen=now)
            )
    return Member(found.account, found.name, found.role, found.csrf, found.digest)


def log_out(engine: Engine, who: Member) -> None:
    """End this session."""
    with writing(engine) as connection:
        connection.execute(delete(sessions).where(sessions.c.digest == who.session))


def _by_name(connection: Connection, name: str) -> Row[int, str, str] | None:
    columns = select(accounts.c.id, accounts.c.role, accounts.c.password)
    return connection.execute(columns.where(accounts.c.name == name)).one_or_none()
