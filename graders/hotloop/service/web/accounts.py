"""Accounts and login sessions: names, roles, cookies."""

from __future__ import annotations

import hmac
import secrets
from collections.abc import Iterable
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

from hotloop.core.transactions import reading, writing
from hotloop.core.user_error import UserError
from hotloop.service.web.database import Utc, metadata
from hotloop.service.web.secret import digest

IDLE = timedelta(hours=8)
LONGEST = timedelta(hours=24)
_SEEN_AGAIN = timedelta(minutes=1)
"""Precision of a session's last use, so that not every page view writes to the database."""

accounts = Table(
    "accounts",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(60), nullable=False, unique=True),
    Column("role", String(20), nullable=False),
    # Hash of the password; empty for an account that logs in by a link.
    Column("password", String(200), nullable=False),
    # What the account may do, in its part's words, with commas.
    Column("rights", String(200), nullable=False, default=""),
    Column("made", Utc, nullable=False),
)


def owner() -> Column[int]:
    """Return a foreign key of the owner's account; rows are deleted with the account."""
    key = ForeignKey("accounts.id", ondelete="CASCADE")
    return Column("account", Integer, key, nullable=False, index=True)


sessions = Table(
    "sessions",
    metadata,
    # SHA-256 of the cookie's value: reading the table does not allow opening a session.
    Column("digest", String(64), primary_key=True),
    owner(),
    Column("csrf", String(64), nullable=False),
    Column("seen", Utc, nullable=False),
    Column("expires", Utc, nullable=False),
)


class AccountError(UserError):
    """An account cannot be created, or does not exist. The text is one sentence."""


@dataclass(frozen=True)
class Member:
    """A logged-in account. csrf: token that every form of the session contains.

    session: digest of the session's token. rights: what the account may do, in its part's words.
    """

    account: int
    name: str
    role: str
    csrf: str = field(repr=False)
    session: str = field(repr=False)
    rights: frozenset[str] = frozenset()

    def wrote(self, csrf: str) -> bool:
        """True if a form with this token came from a page of this session."""
        return hmac.compare_digest(self.csrf.encode(), csrf.encode())


def count(engine: Engine) -> int:
    """Return the number of accounts."""
    with reading(engine) as connection:
        return connection.execute(select(func.count()).select_from(accounts)).scalar_one()


def names(engine: Engine, *roles: str) -> list[str]:
    """Return the names of the accounts with one of these roles, sorted; of all if none is given."""
    query = select(accounts.c.name).order_by(accounts.c.name)
    with reading(engine) as connection:
        rows = connection.execute(query.where(accounts.c.role.in_(roles)) if roles else query)
        return list(rows.scalars())


def add(
    engine: Engine, name: str, role: str, password: str = "", rights: Iterable[str] = ()
) -> int:
    """Create an account and return its id. Raises AccountError if the name exists.

    password: its hash.
    """
    values = {
        "name": name,
        "role": role,
        "password": password,
        "rights": _written(rights),
        "made": datetime.now(UTC),
    }
    try:
        with writing(engine) as connection:
            new = connection.execute(insert(accounts).values(values).returning(accounts.c.id))
            return new.scalar_one()
    except IntegrityError:
        raise AccountError(f"There is an account {name} already.") from None


def allow(engine: Engine, name: str, rights: Iterable[str], *roles: str) -> None:
    """Set what an account may do, from its next request on. Raises AccountError as `required`."""
    with writing(engine) as connection:
        account = required(connection, name, *roles)
        changed = update(accounts).where(accounts.c.id == account.id)
        connection.execute(changed.values(rights=_written(rights)))


def _written(rights: Iterable[str]) -> str:
    return ",".join(sorted(rights))


def remove(engine: Engine, name: str, *roles: str) -> None:
    """Delete an account and its sessions. Raises AccountError as `required`."""
    with writing(engine) as connection:
        account = required(connection, name, *roles)
        connection.execute(delete(accounts).where(accounts.c.id == account.id))


def find(engine: Engine, name: str) -> Row[int, str, str] | None:
    """Return id, role and password hash of an account, or None if it does not exist."""
    with reading(engine) as connection:
        return _by_name(connection, name)


def required(connection: Connection, name: str, *roles: str) -> Row[int, str, str]:
    """Return the same as `find`.

    Raises AccountError if there is no such account, or none with one of these roles if some are
    given: each part of the service manages its own accounts.
    """
    account = _by_name(connection, name)
    if account is None or (roles and account.role not in roles):
        raise AccountError(f"There is no account {name}.")
    return account


def log_in(engine: Engine, account: int, replaces: str = "", now: datetime | None = None) -> str:
    """Create a session and return its cookie's value.

    replaces: the browser's previous cookie, whose session is deleted. Expired sessions are deleted
    too.
    """
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
    """Return the member whose session the cookie names, or None if it is missing or has expired."""
    now = now or datetime.now(UTC)
    query = (
        select(sessions, accounts.c.name, accounts.c.role, accounts.c.rights)
        .join(accounts, accounts.c.id == sessions.c.account)
        .where(sessions.c.digest == digest(token))
    )
    with reading(engine) as connection:
        session = connection.execute(query).one_or_none()
    if session is None or session.expires < now or session.seen + IDLE < now:
        return None
    if now - session.seen > _SEEN_AGAIN:
        with writing(engine) as connection:
            connection.execute(
                update(sessions).where(sessions.c.digest == session.digest).values(seen=now)
            )
    rights = frozenset(one for one in str(session.rights).split(",") if one)
    return Member(session.account, session.name, session.role, session.csrf, session.digest, rights)


def log_out(engine: Engine, who: Member) -> None:
    """Delete this session."""
    with writing(engine) as connection:
        connection.execute(delete(sessions).where(sessions.c.digest == who.session))


def _by_name(connection: Connection, name: str) -> Row[int, str, str] | None:
    columns = select(accounts.c.id, accounts.c.role, accounts.c.password)
    return connection.execute(columns.where(accounts.c.name == name)).one_or_none()
