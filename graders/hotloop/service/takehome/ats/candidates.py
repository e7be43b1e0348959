"""Candidates as an ATS knows them: by an id that says nothing about pack or pseudonym."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

from sqlalchemy import Engine, insert, select

from hotloop.core.intervals import tenths
from hotloop.core.transactions import reading, writing
from hotloop.service.tables import ats_candidates
from hotloop.service.takehome import links, standing
from hotloop.service.takehome.portal import Portal
from hotloop.service.takehome.standing import CandidateStanding, CandidateState
from hotloop.service.web.secret import derive, digest
from hotloop.takehome import installable, scorecard
from hotloop.takehome.pack import make_pack

STATUS = {
    CandidateState.INVITED: "invited",
    CandidateState.WORKING: "started",
    CandidateState.OVER: "expired",
    CandidateState.WAITING: "submitted",
    CandidateState.GRADING: "submitted",
    CandidateState.LOST: "submitted",
    CandidateState.FAILED: "submitted",
    CandidateState.GRADED: "graded",
    CandidateState.FILED: "reviewed",
}
"""What an ATS is told of each state; what went wrong here is the team's."""


@dataclass(frozen=True)
class AtsCandidate:
    """A candidate. external: the ATS's own id, or ""; callback: for Greenhouse, or ""."""

    id: str
    pack: UUID
    external: str = ""
    callback: str = ""


@dataclass(frozen=True)
class AtsResult:
    """What an ATS is told once the scorecards are filed."""

    pseudonym: str
    score_low: float
    score_high: float
    decisions: Sequence[str]


def id_of(portal: Portal, pack: UUID) -> str:
    """Return the id by which an ATS knows a pack; nobody can compute it without the secret."""
    return derive(portal.secret, "ats", str(pack))


def invite(
    portal: Portal,
    role: str,
    name: str,
    external: str,
    who: str,
    *,
    callback: str = "",
    accommodation: float | None = None,
) -> tuple[AtsCandidate, bool]:
    """Make pack and link for an application, unless it has them; return whether it is new.

    Raises TeamError, CurriculumError or KeyMissing if no pack can be made.
    """
    key = digest(f"{role}\n{external}")
    if (earlier := _by_key(portal.engine, key)) is not None:
        return earlier, False
    chosen = portal.team.role(role)
    installable.require(portal.team, chosen)
    # The ATS says who is who: two people may have one name.
    new = make_pack(
        portal.team,
        chosen,
        name,
        now=datetime.now(UTC),
        accommodation=accommodation,
        again=True,
        who=who,
    )
    pack = new.manifest.pack
    one = AtsCandidate(id_of(portal, pack), pack, external, callback)
    links.make(portal.engine, portal.secret, pack, new.manifest.expires)
    row = {"id": one.id, "pack": str(pack), "key": key, "external": external, "callback": callback}
    with writing(portal.engine) as connection:
        connection.execute(insert(ats_candidates).values(row))
    portal.team.audit(who, f"invited {new.pseudonym} for {role}")
    return one, True


def find(portal: Portal, name: str) -> AtsCandidate | None:
    """Return the candidate with this id, or None."""
    with reading(portal.engine) as connection:
        query = select(ats_candidates).where(ats_candidates.c.id == name)
        row = connection.execute(query).one_or_none()
    return None if row is None else AtsCandidate(row.id, UUID(row.pack), row.external, row.callback)


def of_packs(engine: Engine) -> dict[UUID, AtsCandidate]:
    """Return all candidates that an ATS has invited, by pack."""
    with reading(engine) as connection:
        rows = connection.execute(select(ats_candidates)).all()
    return {UUID(r.pack): AtsCandidate(r.id, UUID(r.pack), r.external, r.callback) for r in rows}


def link(portal: Portal, pack: UUID) -> str:
    """Return the address of the candidate's link, "" if it was withdrawn."""
    current = links.current(portal.engine, portal.secret, pack)
    return f"{portal.settings.origin}/c/{current.token}" if current else ""


def state(portal: Portal, pack: UUID) -> CandidateStanding:
    """Return the candidate's state. Raises UnknownPack."""
    return standing.standing(portal.team, portal.queue, pack)


def result(portal: Portal, one: CandidateStanding) -> AtsResult | None:
    """Return the result, None until as many scorecards are filed as the role wants."""
    if one.state is not CandidateState.FILED or one.score is None:
        return None
    card = scorecard.read(portal.team, one.record.pack)
    if card is None:
        return None
    low, high = (tenth / 10 for tenth in tenths(one.score))
    decisions = [review.decision for review in card.reviews]
    return AtsResult(one.record.pseudonym, low, high, decisions)


def page(portal: Portal, one: AtsCandidate) -> str:
    """Return the address that an ATS shows to people of the team."""
    return f"{portal.settings.origin}/ats/{one.id}"


def _by_key(engine: Engine, key: str) -> AtsCandidate | None:
    with reading(engine) as connection:
        query = select(ats_candidates).where(ats_candidates.c.key == key)
        row = connection.execute(query).one_or_none()
    return None if row is None else AtsCandidate(row.id, UUID(row.pack), row.external, row.callback)
