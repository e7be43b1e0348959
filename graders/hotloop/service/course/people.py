"""Accounts by invitation, and the tokens that invitations are exchanged for.

An invitation works once, until it expires. The database holds digests only of invitations and
tokens.
"""

from __future__ import annotations

import json
import re
import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal, cast, get_args
from urllib.parse import urlsplit

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Select,
    Table,
    func,
    insert,
    select,
    update,
)

from hotloop.core.transactions import reading, writing
from hotloop.service.tables import LONGEST_EMAIL, LONGEST_NAME, invitations, jobs, lti_users, tokens
from hotloop.service.web import accounts as web
from hotloop.service.web.accounts import AccountError, accounts
from hotloop.service.web.secret import digest

OF_LMS = "lti-"
"""Start of the names of accounts that an LMS made: no invitation leads into one."""

NAME = re.compile(rf"(?!{OF_LMS})[A-Za-z0-9][A-Za-z0-9._@-]{{0,59}}")
"""Learners' names as in nbgrader, without characters that are special in a folder's name."""

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
STAY = timedelta(days=14)
_SEEN_AGAIN = timedelta(minutes=1)

Role = Literal["learner", "instructor"]
ROLES: Sequence[Role] = get_args(Role)


@dataclass(frozen=True)
class Person:
    """The person who sent a request."""

    account: int
    name: str
    role: Role


@dataclass(frozen=True)
class LmsPerson:
    """What an LMS says of a person whom it sent. All but issuer and subject may be "" or untrue.

    subject: its id of the person.
    """

    issuer: str
    subject: str
    first: str
    last: str
    email: str

    @property
    def title(self) -> str:
        """Return how people know this person."""
        name = f"{self.first} {self.last}".strip()
        return name or self.email or f"person {self.subject} of {urlsplit(self.issuer).netloc}"


@dataclass(frozen=True)
class ListedPerson:
    """A person on the instructor's page.

    lms: None for whoever was invited. seen: when one of their tokens was last used, to the minute;
    None if they have none.
    """

    name: str
    lms: LmsPerson | None
    role: str
    seen: datetime | None
    jobs: int

    @property
    def title(self) -> str:
        """Return how people know this person."""
        return self.name if self.lms is None else self.lms.title


def invite(engine: Engine, name: str, role: Role = "learner", stay: timedelta = STAY) -> str:
    """Create an invitation, and an account if there is none; return the invitation's secret.

    Raises AccountError for an invalid name, or for one whose account has another role.
    """
    if not NAME.fullmatch(name):
        raise AccountError(
            f"{name[:60]!r} is no name: letters, digits and . _ @ - , at most 60 of them, and not "
            f"{OF_LMS} at the beginning, as an LMS's people have."
        )
    account = web.find(engine, name)
    if account is not None and account.role != role:
        raise AccountError(f"{name} is {account.role} already: remove the account first.")
    return invitation(engine, web.add(engine, name, role) if account is None else account.id, stay)


def invitation(engine: Engine, account: int, stay: timedelta) -> str:
    """Create an invitation into an account that is there, and return its secret."""
    secret = secrets.token_urlsafe(32)
    row = {"digest": digest(secret), "account": account, "expires": datetime.now(UTC) + stay}
    with writing(engine) as connection:
        connection.execute(insert(invitations).values(row))
    return secret


def from_lms(engine: Engine, person: LmsPerson, role: Role) -> Person:
    """Return the account of a person whom an LMS authenticated, created if there is none.

    It gets the role that the LMS gives. Its name is drawn from the LMS's id of the person, which
    nobody chooses. Their own name and email address are kept to be shown: many an LMS lets its
    people write what they like there, and an account's name is whose hand-in it is.
    """
    issuer, subject = person.issuer, person.subject
    said = {
        "first": person.first[:LONGEST_NAME],
        "last": person.last[:LONGEST_NAME],
        "email": person.email[:LONGEST_EMAIL],
    }
    with writing(engine) as connection:
        row = connection.execute(
            select(lti_users.c.account).where(
                lti_users.c.issuer == issuer, lti_users.c.subject == subject
            )
        ).one_or_none()
        if row is None:
            name = f"{OF_LMS}{digest(json.dumps([issuer, subject]))[:32]}"
            values = {"name": name, "role": role, "password": "", "made": datetime.now(UTC)}
            account = connection.execute(
                insert(accounts).values(values).returning(accounts.c.id)
            ).scalar_one()
            known = {"issuer": issuer, "subject": subject, "account": account, **said}
            connection.execute(insert(lti_users).values(known))
        else:
            account = row.account
            connection.execute(update(accounts).where(accounts.c.id == account).values(role=role))
            same = lti_users.c.account == account
            connection.execute(update(lti_users).where(same).values(said))
        name = connection.execute(
            select(accounts.c.name).where(accounts.c.id == account)
        ).scalar_one()
    return Person(account, name, role)


def of_lms(engine: Engine, account: int | None = None) -> dict[int, LmsPerson]:
    """Return the people whom an LMS has sent, by account. account: only this one."""
    query = select(lti_users)
    if account is not None:
        query = query.where(lti_users.c.account == account)
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    return {
        row.account: LmsPerson(row.issuer, row.subject, row.first, row.last, row.email)
        for row in rows
    }


def titles(engine: Engine) -> Callable[[str], str]:
    """Return a function from an account's name to how people know whose it is."""
    sent = of_lms(engine)
    query = select(accounts.c.name, accounts.c.id).where(accounts.c.id.in_(sent))
    with reading(engine) as connection:
        known = {str(row.name): sent[row.id].title for row in connection.execute(query)}
    return lambda name: known.get(name, name)


def invited(engine: Engine, secret: str) -> Person | None:
    """Return the person an invitation is for; None if it is unknown, used or expired."""
    if not TOKEN.fullmatch(secret):
        return None
    with reading(engine) as connection:
        return _read(connection, _person(invitations).where(*_usable(secret)))


def accept(engine: Engine, secret: str) -> tuple[Person, str] | None:
    """Use an invitation up; return its person and a token, or None as for `invited`."""
    now, token = datetime.now(UTC), secrets.token_urlsafe(32)
    with writing(engine) as connection:
        person = use_up(connection, secret)
        if person is None:
            return None
        row = {"digest": digest(token), "account": person.account, "made": now, "seen": now}
        connection.execute(insert(tokens).values(row))
    return person, token


def use_up(connection: Connection, secret: str) -> Person | None:
    """Mark an invitation as used, and return its person; None as for `invited`."""
    person = _read(connection, _person(invitations).where(*_usable(secret)))
    used = connection.execute(
        update(invitations).where(*_usable(secret)).values(used=datetime.now(UTC))
    )
    return person if used.rowcount == 1 else None


def bearer(engine: Engine, token: str) -> Person | None:
    """Return the person with this token; None if it is unknown."""
    if not TOKEN.fullmatch(token):
        return None
    now, own = datetime.now(UTC), tokens.c.digest == digest(token)
    with reading(engine) as connection:
        person = _read(connection, _person(tokens).where(own))
        old = connection.execute(
            select(tokens.c.seen).where(own, tokens.c.seen < now - _SEEN_AGAIN)
        ).one_or_none()
    if old is not None:
        with writing(engine) as connection:
            connection.execute(update(tokens).where(own).values(seen=now))
    return person


def everybody(engine: Engine) -> list[ListedPerson]:
    """Return all people of the class, by how people know them."""
    seen = select(tokens.c.account, func.max(tokens.c.seen).label("seen")).group_by(
        tokens.c.account
    )
    sent = select(jobs.c.account, func.count().label("jobs")).group_by(jobs.c.account)
    by_token, by_job = seen.subquery(), sent.subquery()
    query = (
        select(accounts.c.id, accounts.c.name, accounts.c.role, by_token.c.seen, by_job.c.jobs)
        .outerjoin(by_token, by_token.c.account == accounts.c.id)
        .outerjoin(by_job, by_job.c.account == accounts.c.id)
        .where(accounts.c.role.in_(ROLES))
    )
    with reading(engine) as connection:
        rows = connection.execute(query).all()
    sent = of_lms(engine)
    listed = [
        ListedPerson(row.name, sent.get(row.id), row.role, row.seen, row.jobs or 0) for row in rows
    ]
    return sorted(listed, key=lambda one: one.title.casefold())


def _usable(secret: str) -> tuple[ColumnElement[bool], ...]:
    return (
        invitations.c.digest == digest(secret),
        invitations.c.used.is_(None),
        invitations.c.expires > datetime.now(UTC),
    )


def _person(via: Table) -> Select[int, str, str]:
    """Select a person through a table of secrets."""
    columns = select(accounts.c.id, accounts.c.name, accounts.c.role)
    return columns.join(via, via.c.account == accounts.c.id)


def _read(connection: Connection, query: Select[int, str, str]) -> Person | None:
    row = connection.execute(query).one_or_none()
    return None if row is None else Person(row.id, row.name, cast(Role, row.role))
