"""A candidate's link: an unguessable 256-bit token for one pack, with an expiry time.

The token is derived from the portal's secret, so the team can look it up again; the database stores
only its digest. A pack has one link at a time: a new link replaces the old one.
"""

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine, delete, insert, select, update

from hotloop.core.transactions import reading, writing
from hotloop.service.tables import ats_candidates, ats_deliveries, gradings, links
from hotloop.service.web.secret import derive, digest

TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")


@dataclass(frozen=True)
class Link:
    """A link. token: secret part of the URL. expires: as created, or extended in the portal."""

    pack: UUID
    token: str
    expires: datetime

    def works_until(self, deadline: datetime | None) -> datetime:
        """Return when the link expires. deadline: a later one set by the team, or None."""
        return self.expires if deadline is None else max(self.expires, deadline)


def make(engine: Engine, secret: bytes, pack: UUID, expires: datetime) -> Link:
    """Create a link for a pack; an earlier link stops working."""
    number = str(uuid4())
    token = _token(secret, number, pack)
    row = {"id": number, "pack": str(pack), "digest": digest(token), "expires": expires}
    with writing(engine) as connection:
        connection.execute(delete(links).where(links.c.pack == str(pack)))
        connection.execute(insert(links).values(row))
    return Link(pack, token, expires)


def current(engine: Engine, secret: bytes, pack: UUID) -> Link | None:
    """Return the link of a pack, expired or not, or None."""
    with reading(engine) as connection:
        row = connection.execute(select(links).where(links.c.pack == str(pack))).one_or_none()
    if row is None:
        return None
    return Link(pack, _token(secret, row.id, pack), row.expires)


def find(engine: Engine, token: str) -> Link | None:
    """Return the link with this token, expired or not, or None."""
    if not TOKEN.fullmatch(token):
        return None
    query = select(links).where(links.c.digest == digest(token))
    with reading(engine) as connection:
        row = connection.execute(query).one_or_none()
    return None if row is None else Link(UUID(row.pack), token, row.expires)


def prolong(engine: Engine, pack: UUID, expires: datetime) -> None:
    """Change when the pack's link expires."""
    with writing(engine) as connection:
        connection.execute(update(links).where(links.c.pack == str(pack)).values(expires=expires))


def end(engine: Engine, pack: UUID) -> None:
    """Delete the pack's link."""
    with writing(engine) as connection:
        connection.execute(delete(links).where(links.c.pack == str(pack)))


def packs(engine: Engine) -> set[UUID]:
    """Return all packs that have a link."""
    with reading(engine) as connection:
        return {UUID(row.pack) for row in connection.execute(select(links.c.pack))}


def of_ats(engine: Engine) -> set[UUID]:
    """Return all packs that an ATS has invited."""
    with reading(engine) as connection:
        return {UUID(row.pack) for row in connection.execute(select(ats_candidates.c.pack))}


def end_for_ats(engine: Engine, pack: UUID) -> None:
    """Delete what is kept of a pack for an ATS."""
    with writing(engine) as connection:
        connection.execute(delete(ats_candidates).where(ats_candidates.c.pack == str(pack)))


def kept(engine: Engine, pack: UUID) -> dict[str, Any]:
    """Return what the portal's database has about a pack, for a copy of the candidate's data."""
    with reading(engine) as connection:
        own = connection.execute(select(links).where(links.c.pack == str(pack))).one_or_none()
        query = select(gradings).where(gradings.c.pack == str(pack))
        queued = connection.execute(query).mappings().all()
        known = select(ats_candidates).where(ats_candidates.c.pack == str(pack))
        ats = connection.execute(known).mappings().all()
        told = select(ats_deliveries).where(ats_deliveries.c.pack == str(pack))
        events = connection.execute(told).mappings().all()
    return {
        "link": None if own is None else {"expires": own.expires.isoformat()},
        "queue": [{name: str(value) for name, value in row.items()} for row in queued],
        "ats": [{name: str(value) for name, value in row.items()} for row in ats],
        "events": [{name: str(value) for name, value in row.items()} for row in events],
    }


def _token(secret: bytes, number: str, pack: UUID) -> str:
    return derive(secret, "link", number, str(pack))
