"""The state of each candidate, for the team's pages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import lru_cache
from uuid import UUID

from hotloop.core.intervals import Interval
from hotloop.learn.pack.manifest import ForgedManifest, Manifest
from hotloop.service.takehome.queue import PortalQueue, QueuedSubmission
from hotloop.service.web.queue import WorkState as Queued
from hotloop.takehome.hand_in_status import headline, outcome_of
from hotloop.takehome.team import PackRecord, Team, TeamError, UnknownPack

_CLOCK = timedelta(milliseconds=20)
"""How much file times may lag behind the clock."""


class CandidateState(StrEnum):
    """State of a candidate."""

    INVITED = "not downloaded yet"
    WORKING = "at work"
    OVER = "time is over"
    WAITING = "waits for grading"
    GRADING = "is being graded"
    GRADED = "graded"
    FAILED = "could not be graded"
    LOST = "report cannot be read"
    FILED = "scorecard filed"


@dataclass(frozen=True)
class Damaged:
    """A pack too damaged to determine the candidate's state. name: of its folder."""

    name: str
    problem: str


@dataclass(frozen=True)
class CandidateOverview:
    """All candidates, the latest first, and packs that are damaged."""

    candidates: Sequence[CandidateStanding]
    damaged: Sequence[Damaged]


@dataclass(frozen=True)
class CandidateStanding:
    """State of one candidate. score: with the marks of the filed scorecard.

    reviews: how many people have marked the last hand-in. problem: why it was not graded, or what
    cannot be read, as one sentence. score is None until the last hand-in has a report.
    """

    record: PackRecord
    manifest: Manifest
    state: CandidateState
    deadline: datetime
    score: Interval | None
    problem: str = ""
    reviews: int = 0

    @property
    def shown_deadline(self) -> datetime | None:
        """The deadline while work is awaited, else None.

        Later it would only reveal who got more time than others, possibly for health reasons.
        """
        return self.deadline if self.record.awaited else None

    @property
    def handed_in(self) -> datetime | None:
        """Time of the last submission, or None."""
        return self.record.submitted[-1].received if self.record.submitted else None


def overview(team: Team, queue: PortalQueue, now: datetime | None = None) -> CandidateOverview:
    """Return the state of all candidates."""
    gradings = queue.all()
    records, faults = team.readable_packs()
    candidates: list[CandidateStanding] = []
    damaged = [Damaged(name, str(fault)) for name, fault in sorted(faults.items())]
    for record in records:
        try:
            candidates.append(_standing(team, record, gradings, now or datetime.now(UTC)))
        except UnknownPack:
            # Deleted at this moment.
            continue
        except (TeamError, ForgedManifest, OSError) as fault:
            damaged.append(Damaged(record.pseudonym, str(fault)))
    return CandidateOverview(candidates[::-1], damaged)


def standing(team: Team, queue: PortalQueue, pack: UUID) -> CandidateStanding:
    """Return the state of one candidate. Raises UnknownPack if the pack does not exist."""
    record = team.pack(pack)
    gradings: dict[tuple[UUID, str], QueuedSubmission] = {}
    if record.submitted:
        digest = record.submitted[-1].digest
        one = queue.find(pack, digest)
        gradings = {} if one is None else {(pack, digest): one}
    return _standing(team, record, gradings, datetime.now(UTC))


def manifest(team: Team, pack: UUID) -> Manifest:
    """Return the pack's verified manifest, cached until its file changes."""
    path = team.pack_folder(pack) / "manifest.json"
    try:
        status = path.stat()
    except FileNotFoundError:
        team.pack(pack)
        raise TeamError(f"{path} is missing: take it from your backup.") from None
    return _manifest(team, pack, status.st_mtime_ns, status.st_ino)


def written_since(team: Team, pack: UUID, digest: str, since: datetime | None) -> bool:
    """True if there is a report on this submission, written after `since` if that is given."""
    report = headline(team, pack)
    if report is None or report.digest != digest:
        return False
    if since is None:
        return True
    written = datetime.fromtimestamp(team.report_path(pack).stat().st_mtime, UTC)
    return written >= since - _CLOCK


def _standing(
    team: Team,
    record: PackRecord,
    gradings: Mapping[tuple[UUID, str], QueuedSubmission],
    now: datetime,
) -> CandidateStanding:
    signed = manifest(team, record.pack)
    until = record.until(signed)
    if not record.submitted:
        state = CandidateState.WORKING if record.started else CandidateState.INVITED
        if now > until:
            state = CandidateState.OVER
        return CandidateStanding(record, signed, state, until, None)
    digest = record.submitted[-1].digest
    one = gradings.get((record.pack, digest))
    hand_in = outcome_of(team, record)
    state = _after(one, hand_in.score is not None)
    problem = one.problem if one else ""
    if state is CandidateState.LOST:
        path = team.report_path(record.pack)
        problem = f"{path} holds no report on this hand-in that can be read: grade it again."
    if state is CandidateState.GRADED:
        state = CandidateState.FILED if hand_in.is_filed else CandidateState.GRADED
        problem = hand_in.problem
    return CandidateStanding(record, signed, state, until, hand_in.score, problem, hand_in.reviews)


def _after(one: QueuedSubmission | None, graded: bool) -> CandidateState:
    if graded and (one is None or one.state is Queued.DONE):
        return CandidateState.GRADED
    if one is not None and one.state is Queued.DONE:
        return CandidateState.LOST
    if one is None:
        return CandidateState.WAITING
    if one.state is Queued.LOST:
        return CandidateState.FAILED
    return CandidateState.GRADING if one.state is Queued.RUNNING else CandidateState.WAITING


@lru_cache(maxsize=4096)
def _manifest(team: Team, pack: UUID, _mtime_ns: int, _inode: int) -> Manifest:
    return team.manifest(pack)
