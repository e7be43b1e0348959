"""The team's members: names, passwords and sessions."""

from __future__ import annotations

import hmac
import re
import secrets
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Engine, Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from hotloop.core.user_error import UserError
from hotloop.takehome.portal.database import accounts, sessions
from hotloop.takehome.portal.secret import digest
from hotloop.transactions import reading, writing

NAME = re.compile(r"[a-z][a-z0-9._-]{0,59}")
ACTORS = frozenset({"candidate", "judge", "portal", "reviewer", "somebody", "team"})
"""Who else acts in the audit log: a member of that name could not be told from them."""

SHORTEST_PASSWORD = 12
LONGEST_PASSWORD = 1000
IDLE = timedelta(hours=8)
LONGEST = timedelta(hours=24)
_SEEN_AGAIN = timedelta(minutes=1)
"""How exact the time is at which a session was last used: pages need not write each time."""

_hasher = PasswordHasher()
# Each takes 64 MiB for as long as it lasts.
_hashing = BoundedSemaphore(2)
_nobody = _hasher.hash(secrets.token_urlsafe())


class AccountError(UserError):
    """There can be no such account, or is none. The text is one sentence."""


@dataclass(frozen=True)
class Member:
    """Who is logged in. csrf: what every form of this session carries. session: its digest."""

    account: int
    name: str
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


def add(engine: Engine, name: str, password: str, now: datetime | None = None) -> None:
    """A new account. AccountError says what is wrong with name or password."""
    if not NAME.fullmatch(name):
        raise AccountError("A name is made of a-z, 0-9 and . _ - , and begins with a letter.")
    if name in ACTORS:
        raise AccountError(f"The audit log calls others {name}: choose another name.")
    values = {"name": name, "password": _hashed(password), "made": now or datetime.now(UTC)}
    try:
        with writing(engine) as connection:
            connection.execute(insert(accounts).values(values))
    except IntegrityError:
        raise AccountError(f"There is an account {name} already.") from None


def set_password(engine: Engine, name: str, password: str) -> None:
    """Another password; whoever is logged in under the name is not any more."""
    hashed = _hashed(password)
    with writing(engine) as connection:
        found = _account(connection.execute(_by_name(name)).one_or_none(), name)
        connection.execute(
            update(accounts).where(accounts.c.id == found.id).values(password=hashed)
        )
        connection.execute(delete(sessions).where(sessions.c.account == found.id))


def remove(engine: Engine, name: str) -> None:
    """Delete the account and its sessions. AccountError when there is none."""
    with writing(engine) as connection:
        found = _account(connection.execute(_by_name(name)).one_or_none(), name)
        connection.execute(delete(accounts).where(accounts.c.id == found.id))


def exists(engine: Engine, name: str) -> bool:
    """Whether there is such an account. For the audit log, never for whoever asks to be let in."""
    with reading(engine) as connection:
        return connection.execute(_by_name(name)).one_or_none() is not None


def check_password(engine: Engine, name: str, password: str) -> int | None:
    """The account's id, or None; it takes as long for a name that does not exist."""
    with reading(engine) as connection:
        found = connection.execute(_by_name(name)).one_or_none()
    hashed = _nobody if found is None else str(found.password)
    right = len(password) <= LONGEST_PASSWORD and _is_right(hashed, password)
    return int(found.id) if found is not None and right else None


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
        select(sessions, accounts.c.name)
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
    return Member(found.account, found.name, found.csrf, found.digest)


def log_out(engine: Engine, who: Member) -> None:
    """End this session."""
    with writing(engine) as connection:
        connection.execute(delete(sessions).where(sessions.c.digest == who.session))


def _hashed(password: str) -> str:
    if not SHORTEST_PASSWORD <= len(password) <= LONGEST_PASSWORD:
        raise AccountError(f"A password has {SHORTEST_PASSWORD} to {LONGEST_PASSWORD} characters.")
    with _hashing:
        return _hasher.hash(password)


def _is_right(hashed: str, password: str) -> bool:
    with _hashing:
        try:
            return _hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False


def _by_name(name: str) -> Select[int, str]:
    return select(accounts.c.id, accounts.c.password).where(accounts.c.name == name)


def _account(found: Row[int, str] | None, name: str) -> Row[int, str]:
    if found is None:
        raise AccountError(f"There is no account {name}.")
    return found
