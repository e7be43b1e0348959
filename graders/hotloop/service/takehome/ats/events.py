"""What happened to candidates since the ATS was told, read from the team's state.

So work that is graded or marked on the command line is told too, and nothing is lost in a crash.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID, uuid4

from sqlalchemy import Engine, delete, insert, select, update

from hotloop.core.transactions import reading, writing
from hotloop.service.tables import ats_deliveries
from hotloop.service.takehome import links, standing
from hotloop.service.takehome.ats import candidates
from hotloop.service.takehome.ats.candidates import AtsCandidate
from hotloop.service.takehome.ats.settings import AtsSettings
from hotloop.service.takehome.portal import Portal
from hotloop.service.takehome.standing import CandidateStanding
from hotloop.takehome.feedback import FeedbackError
from hotloop.takehome.scorecard import ScorecardError

WEBHOOK, GREENHOUSE = "webhook", "greenhouse"
DELETED = "candidate.deleted"


@dataclass(frozen=True)
class Event:
    """An event. key: tells repetitions apart, such as a second hand-in."""

    pack: UUID
    type: str
    data: dict[str, Any]
    key: str = ""


def note(portal: Portal, settings: AtsSettings) -> None:
    """Queue an event for each step that a candidate has taken and the ATS does not know yet."""
    known = candidates.of_packs(portal.engine)
    seen = standing.overview(portal.team, portal.queue)
    for one in seen.candidates:
        about = known.get(one.record.pack)
        for event in _reached(portal, one, about):
            if settings.webhook is not None:
                queue(portal, event, WEBHOOK)
            is_result = event.type == "candidate.reviewed"
            if is_result and settings.greenhouse is not None and about and about.callback:
                queue(portal, event, GREENHOUSE)
    if not seen.damaged:
        _note_deleted(portal, settings, {one.record.pack for one in seen.candidates})


def queue(portal: Portal, event: Event, target: str) -> None:
    """Queue an event for delivery, unless it was queued before."""
    name = f"{event.type} {event.key}".strip()
    body = {
        "type": event.type,
        "timestamp": datetime.now(UTC).isoformat(timespec="seconds").replace("+00:00", "Z"),
        "data": event.data,
    }
    row = {
        "id": f"msg_{uuid4().hex}",
        "pack": str(event.pack),
        "event": name,
        "target": target,
        "body": json.dumps(body, ensure_ascii=False),
        "tries": 0,
        "due": datetime.now(UTC),
        "problem": "",
    }
    same = (
        select(ats_deliveries.c.id)
        .where(ats_deliveries.c.pack == row["pack"])
        .where(ats_deliveries.c.event == name, ats_deliveries.c.target == target)
    )
    with reading(portal.engine) as connection:
        if connection.execute(same).first() is not None:
            return
    with writing(portal.engine) as connection:
        if connection.execute(same).first() is None:
            connection.execute(insert(ats_deliveries).values(row))


def invited(portal: Portal, one: AtsCandidate, role: str, email: str) -> Event:
    """Return the event by which another system sends the link to the candidate."""
    data = {
        "candidate": one.id,
        "external_id": one.external,
        "role": role,
        "email": email,
        "link": candidates.link(portal, one.pack),
    }
    return Event(one.pack, "candidate.link", data)


def _reached(portal: Portal, one: CandidateStanding, about: AtsCandidate | None) -> Iterator[Event]:
    """Yield the events of the steps that a candidate has taken."""
    record, pack = one.record, one.record.pack
    data = {
        "candidate": candidates.id_of(portal, pack),
        "external_id": about.external if about else None,
        "role": record.role,
    }
    yield Event(pack, "candidate.invited", data)
    if record.started:
        yield Event(pack, "candidate.started", data)
    for hand_in in record.submitted:
        yield Event(pack, "candidate.submitted", data, hand_in.digest[:16])
    if record.submitted and one.score is not None:
        yield Event(pack, "candidate.graded", data, record.submitted[-1].digest[:16])
    try:
        result = candidates.result(portal, one)
    except (ScorecardError, FeedbackError):
        return
    if result is not None:
        page = f"{portal.settings.origin}/candidates/{pack}"
        told = {**data, **asdict(result), "decisions": list(result.decisions), "page": page}
        key = f"{record.submitted[-1].digest[:16]} {'-'.join(result.decisions)}"
        yield Event(pack, "candidate.reviewed", told, key)


def _note_deleted(portal: Portal, settings: AtsSettings, here: set[UUID]) -> None:
    """Tell of deletions, and delete what was queued about these candidates."""
    with reading(portal.engine) as connection:
        query = select(ats_deliveries.c.pack).distinct()
        told = {UUID(row.pack) for row in connection.execute(query)}
    for pack in (told | links.of_ats(portal.engine)) - here:
        links.end_for_ats(portal.engine, pack)
        others = (ats_deliveries.c.pack == str(pack)) & (ats_deliveries.c.event != DELETED)
        with writing(portal.engine) as connection:
            connection.execute(delete(ats_deliveries).where(others))
        if settings.webhook is not None:
            data = {"candidate": candidates.id_of(portal, pack)}
            queue(portal, Event(pack, DELETED, data), WEBHOOK)


def open_deliveries(engine: Engine) -> tuple[int, list[str]]:
    """Return how many events wait, and about each that was given up which and why."""
    table = ats_deliveries
    with reading(engine) as connection:
        waiting = connection.execute(select(table.c.id).where(table.c.due.is_not(None))).all()
        lost = select(table).where(table.c.due.is_(None), table.c.problem != "")
        given_up = [f"{row.event}: {row.problem}" for row in connection.execute(lost)]
    return len(waiting), given_up


def again(engine: Engine) -> int:
    """Queue everything again that was given up; return how many."""
    given_up = ats_deliveries.c.due.is_(None) & (ats_deliveries.c.problem != "")
    with writing(engine) as connection:
        changed = connection.execute(
            update(ats_deliveries).where(given_up).values(due=datetime.now(UTC), tries=0)
        )
    return changed.rowcount
