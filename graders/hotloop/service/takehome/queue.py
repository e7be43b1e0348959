"""Submissions to grade, in the queue of the judging service too (`hotloop.service.web.queue`).

The team's folder is authoritative: if the portal is killed between storing and queueing a
submission, `reconcile` queues it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Engine, Row, delete, literal, select, update
from sqlalchemy.exc import IntegrityError

from hotloop.core.transactions import reading, writing
from hotloop.service.tables import gradings
from hotloop.service.web.queue import TRIES, WorkQueue, WorkState
from hotloop.takehome.team import Team

CUT_OFF = f"Its grading was cut off {TRIES} times. Look at the portal's log, then grade it again."

DAMAGED = "Its line in the portal's queue is damaged: grade it again."

WORKS = WorkQueue(
    gradings,
    gradings.c.pack,
    select(gradings.c.id, gradings.c.digest, gradings.c.pack, gradings.c.queued, literal(None)),
    ended=CUT_OFF,
    silent=CUT_OFF,
)
"""The portal's queue: submissions, in turns of candidates."""

WrittenSince = Callable[[UUID, str, datetime | None], bool]
"""True if a report on this submission of a pack exists, written since a time if one is given."""


@dataclass(frozen=True)
class QueuedSubmission:
    """One submission in the queue. graded: number of reports written on it.

    began: of the latest try, None before the first one.
    """

    id: int
    pack: UUID
    digest: str
    state: WorkState
    tries: int
    queued: datetime
    began: datetime | None
    graded: int
    problem: str


@dataclass(frozen=True)
class PortalQueue:
    """The queue of one portal."""

    engine: Engine

    # --- what the pages need ----------------------------------------------------------------------

    def add(self, pack: UUID, digest: str, state: WorkState = WorkState.WAITING) -> bool:
        """Add a submission; return False if it is in the queue already."""
        about = {"pack": str(pack), "digest": digest, "graded": int(state is WorkState.DONE)}
        try:
            with writing(self.engine) as connection:
                WORKS.add(connection, datetime.now(UTC), **about, state=state)
        except IntegrityError:
            return False
        return True

    def again(self, pack: UUID, digest: str) -> bool:
        """Queue a finished submission, or one with a damaged row, again.

        Returns False if it is waiting, running or unknown.
        """
        anew = {"tries": 0, "queued": datetime.now(UTC), "began": None, "problem": ""}
        with writing(self.engine) as connection:
            changed = connection.execute(
                update(gradings)
                .where(gradings.c.pack == str(pack), gradings.c.digest == digest)
                .where(gradings.c.state.not_in([WorkState.WAITING, WorkState.RUNNING]))
                .values(state=WorkState.WAITING, **anew)
            )
        return changed.rowcount == 1

    def all(self) -> dict[tuple[UUID, str], QueuedSubmission]:
        """Return all submissions by pack and digest; rows with an invalid pack are left out."""
        with reading(self.engine) as connection:
            rows = connection.execute(select(gradings)).all()
        submissions = [one for row in rows if (one := _grading(row)) is not None]
        return {(one.pack, one.digest): one for one in submissions}

    def find(self, pack: UUID, digest: str) -> QueuedSubmission | None:
        """Return a submission, or None."""
        query = select(gradings).where(gradings.c.pack == str(pack), gradings.c.digest == digest)
        with reading(self.engine) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _grading(row)

    def forget(self, pack: UUID) -> None:
        """Delete all rows of a pack."""
        with writing(self.engine) as connection:
            connection.execute(delete(gradings).where(gradings.c.pack == str(pack)))

    # --- what a grader needs ----------------------------------------------------------------------

    def claim(self, worker: str) -> QueuedSubmission | None:
        """Have a grader hold the next submission and return it as it was; None if none waits."""
        with writing(self.engine) as connection:
            while (row := WORKS.claim(connection, worker)) is not None:
                one = _grading(row)
                if one is not None:
                    return one
                # A row with an invalid pack can never be graded.
                connection.execute(delete(gradings).where(gradings.c.id == row.id))
        return None

    def beat(self, worker: str) -> None:
        """Store a grader's heartbeat, and queue again what silent graders held."""
        with writing(self.engine) as connection:
            WORKS.beat(connection, worker)
        WORKS.reclaim(self.engine)

    def done(self, one: int, worker: str) -> None:
        """Record that the report was written, if the grader holds the submission."""
        with writing(self.engine) as connection:
            graded = {"graded": gradings.c.graded + 1, "problem": ""}
            WORKS.end(connection, one, worker, WorkState.DONE, **graded)

    def failed(self, one: int, worker: str, problem: str) -> None:
        """Record a failure for people to look at. problem: one sentence."""
        with writing(self.engine) as connection:
            WORKS.end(connection, one, worker, WorkState.LOST, problem=problem)

    def reconcile(self, team: Team, written: WrittenSince) -> None:
        """Queue submissions that are in the team's folder but not in the queue."""
        known = self.all()
        for record in team.packs():
            # Earlier hand-ins that were never graded are not needed.
            for hand_in in record.submitted[-1:]:
                if (record.pack, hand_in.digest) not in known:
                    is_done = written(record.pack, hand_in.digest, None)
                    self.add(
                        record.pack,
                        hand_in.digest,
                        WorkState.DONE if is_done else WorkState.WAITING,
                    )


def _grading(row: Row[*tuple[Any, ...]]) -> QueuedSubmission | None:
    """Convert a row; return None if its pack is invalid. An invalid state becomes LOST."""
    try:
        pack = UUID(row.pack)
    except ValueError:
        return None
    try:
        state, problem = WorkState(row.state), row.problem
    except ValueError:
        state, problem = WorkState.LOST, DAMAGED
    return QueuedSubmission(
        row.id, pack, row.digest, state, row.tries, row.queued, row.began, row.graded, problem
    )
