"""Passwords of team members."""

import re
import secrets
from collections.abc import Sequence
from threading import BoundedSemaphore

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError
from sqlalchemy import Engine, delete, update

from hotloop.core.transactions import writing
from hotloop.service.takehome.rights import RIGHTS, Right
from hotloop.service.web import accounts
from hotloop.service.web.accounts import AccountError

NAME = re.compile(r"[a-z][a-z0-9._-]{0,59}")
ACTORS = frozenset(
    {"ats", "backup", "candidate", "greenhouse", "judge", "portal", "reviewer", "somebody", "team"}
)
"""Other actors in the audit log; members must not use these names."""

MEMBER = "member"
"""The role of a team's accounts."""

SHORTEST = 12
LONGEST = 1000

_hasher = PasswordHasher()
# Each hash takes 64 MiB of memory while it is computed.
_hashing = BoundedSemaphore(2)
_nobody = _hasher.hash(secrets.token_urlsafe())


def add(engine: Engine, name: str, password: str, rights: Sequence[Right] = RIGHTS) -> None:
    """Create an account. Raises AccountError if name or password is not allowed."""
    _require_name(name)
    accounts.add(engine, name, MEMBER, _hashed(password), rights)


def add_without(engine: Engine, name: str, rights: Sequence[Right] = RIGHTS) -> None:
    """Create an account without a password. Raises AccountError if the name is not allowed."""
    _require_name(name)
    accounts.add(engine, name, MEMBER, "", rights)


def _require_name(name: str) -> None:
    if not NAME.fullmatch(name):
        raise AccountError("A name is made of a-z, 0-9 and . _ - , and begins with a letter.")
    if name in ACTORS:
        raise AccountError(f"The audit log calls others {name}: choose another name.")


def change(engine: Engine, name: str, password: str) -> None:
    """Change the password and end all sessions of the account. Raises AccountError."""
    hashed = _hashed(password)
    table, sessions = accounts.accounts, accounts.sessions
    with writing(engine) as connection:
        account = accounts.required(connection, name, MEMBER)
        connection.execute(update(table).where(table.c.id == account.id).values(password=hashed))
        connection.execute(delete(sessions).where(sessions.c.account == account.id))


def check(engine: Engine, name: str, password: str) -> int | None:
    """Return the account's id, or None; an unknown name takes equally long."""
    account = accounts.find(engine, name)
    hashed = _nobody if account is None else str(account.password)
    right = len(password) <= LONGEST and _is_right(hashed, password)
    return int(account.id) if account is not None and account.role == MEMBER and right else None


def _hashed(password: str) -> str:
    if not SHORTEST <= len(password) <= LONGEST:
        raise AccountError(f"A password has {SHORTEST} to {LONGEST} characters.")
    with _hashing:
        return _hasher.hash(password)


def _is_right(hashed: str, password: str) -> bool:
    with _hashing:
        try:
            return _hasher.verify(hashed, password)
        except (VerificationError, InvalidHashError):
            return False
