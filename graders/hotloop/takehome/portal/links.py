"""A candidate's link: 256 bits that nobody can guess, for one pack, until a moment.

The link is derived from the portal's secret, so the team can look it up again; the database holds
its digest only. A pack has one link at a time: a new one ends the one before.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID, uuid4

from sqlalchemy import Engine, delete, insert, select, update

from hotloop.takehome.portal.database import links
from hotloop.transactions import reading, writing
from hotloop.web.secret import derive, digest

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Link:
    """token: the unguessable part of the address. expires: as it was made, or prolonged here."""

    pack: UUID
    token: str
    expires: datetime

    def works_until(self, deadline: datetime | None) -> datetime:
        """deadline: what the team has set later, here or by command; the link lasts as long."""
        return self.expires if deadline is None else max(self.expires, deadline)


def make(engine: Engine, secret: bytes, pack: UUID, expires: datetime) -> Link:
    """A new link for a pack; an earlier one stops working."""
    number = str(uuid4())
    token = _token(secret, number, pack)
    row = {"id": number, "pack": str(pack), "digest": digest(token), "expires": expires}
    with writing(engine) as connection:
        connection.execute(delete(links).where(links.c.pack == str(pack)))
        connection.execute(insert(links).values(row))
    return Link(pack, token, expires)


def current(engine: Engine, secret: bytes, pack: UUID) -> Link | None:
    """The link of a pack, over or not; None when it has none."""
    with reading(engine) as connection:
        found = connection.execute(select(links).where(links.c.pack == str(pack))).one_or_none()
    if found is None:
        return None
    return Link(pack, _token(secret, found.id, pack), found.expires)


def find(engine: Engine, token: str) -> Link | None:
    """The link with this token, over or not; None when there is none."""
    if not TOKEN.fullmatch(token):
        return None
    query = select(links).where(links.c.digest == digest(token))
    with reading(engine) as connection:
        found = connection.execute(query).one_or_none()
    return None if found is None else Link(UUID(found.pack), token, found.expires)


def prolong(engine: Engine, pack: UUID, expires: datetime) -> None:
    """Let the pack's link work until another moment."""
    with writing(engine) as connection:
        connection.execute(update(links).where(links.c.pack == str(pack)).values(expires=expires))


def end(engine: Engine, pack: UUID) -> None:
    """Let the pack's link stop working; nothing is kept of it."""
    with writing(engine) as connection:
        connection.execute(delete(links).where(links.c.pack == str(pack)))


def packs(engine: Engine) -> set[UUID]:
    """All that have a link."""
    with reading(engine) as connection:
        return {UUID(row.pack) for row in connection.execute(select(links.c.pack))}


def _token(secret: bytes, number: str, pack: UUID) -> str:
    return derive(secret, "link", number, str(pack))
