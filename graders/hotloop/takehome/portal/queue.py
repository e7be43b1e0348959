"""The queue of submissions to grade, in the portal's database.

The team's folder is authoritative: if the portal is killed between storing and queueing a
submission, `reconcile` queues it. The grader holds a lock on the folder, so a grading that is
marked as running while nobody holds the lock was interrupted: `recover` queues it again unless its
report exists already.
"""

import fcntl
import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Any
from uuid import UUID

from sqlalchemy import Connection, Engine, Row, delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from hotloop.takehome.portal.database import gradings, own_folder
from hotloop.takehome.team import Team
from hotloop.transactions import reading, writing

TRIES = 3
"""A submission whose grading was interrupted this often is left to people."""

CUT_OFF = f"Its grading was cut off {TRIES} times. Look at the portal's log, then grade it again."

DAMAGED = "Its line in the portal's queue is damaged: grade it again."

_READ = (
    gradings.c.id,
    gradings.c.pack,
    gradings.c.digest,
    gradings.c.state,
    gradings.c.tries,
    gradings.c.graded,
    gradings.c.problem,
)

WrittenSince = Callable[[UUID, str, datetime | None], bool]
"""True if a report on this submission of a pack exists, written since a time if one is given."""


class State(StrEnum):
    """State of a submission."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class Occupied(Exception):
    """Another process already grades for this team. The text is one sentence."""


@dataclass(frozen=True)
class Grading:
    """One submission in the queue. graded: number of reports written on it."""

    id: int
    pack: UUID
    digest: str
    state: State
    tries: int
    graded: int
    problem: str


@contextmanager
def only_grader(team: Path) -> Generator[None]:
    """Hold the lock that lets only one process grade. Raises Occupied if another one holds it."""
    with (own_folder(team) / "grader.lock").open("ab") as stream:
        try:
            fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Occupied(f"Another process grades for {team} already.") from None
        # Child processes must not keep the lock after this process ends.
        os.set_inheritable(stream.fileno(), False)
        yield


@dataclass(frozen=True)
class Queue:
    """The queue of one portal."""

    engine: Engine

    # --- what the pages need ----------------------------------------------------------------------

    def add(self, pack: UUID, digest: str, state: State = State.QUEUED) -> bool:
        """Add a submission; return False if it is in the queue already."""
        row = {
            "pack": str(pack),
            "digest": digest,
            "state": state,
            "tries": 0,
            "queued": datetime.now(UTC),
            "graded": int(state is State.DONE),
            "problem": "",
        }
        try:
            with writing(self.engine) as connection:
                connection.execute(insert(gradings).values(row))
        except IntegrityError:
            return False
        return True

    def again(self, pack: UUID, digest: str) -> bool:
        """Queue a finished submission, or one with a damaged row, again.

        Returns False if it is waiting, running or unknown.
        """
        with writing(self.engine) as connection:
            changed = connection.execute(
                update(gradings)
                .where(gradings.c.pack == str(pack), gradings.c.digest == digest)
                .where(gradings.c.state.not_in([State.QUEUED, State.RUNNING]))
                .values(state=State.QUEUED, tries=0, queued=datetime.now(UTC), problem="")
            )
        return changed.rowcount == 1

    def all(self) -> dict[tuple[UUID, str], Grading]:
        """Return all submissions by pack and digest; rows with an invalid pack are left out."""
        with reading(self.engine) as connection:
            rows = connection.execute(select(*_READ)).all()
        found = [one for row in rows if (one := _grading(row)) is not None]
        return {(one.pack, one.digest): one for one in found}

    def find(self, pack: UUID, digest: str) -> Grading | None:
        """Return a submission, or None."""
        query = select(*_READ).where(gradings.c.pack == str(pack), gradings.c.digest == digest)
        with reading(self.engine) as connection:
            row = connection.execute(query).one_or_none()
        return None if row is None else _grading(row)

    def forget(self, pack: UUID) -> None:
        """Delete all rows of a pack."""
        with writing(self.engine) as connection:
            connection.execute(delete(gradings).where(gradings.c.pack == str(pack)))

    # --- what the grader needs --------------------------------------------------------------------

    def has_waiting(self) -> bool:
        """True if a submission is waiting."""
        query = select(gradings.c.id).where(gradings.c.state == State.QUEUED).limit(1)
        with reading(self.engine) as connection:
            return connection.execute(query).one_or_none() is not None

    def claim(self) -> Grading | None:
        """Mark the longest-waiting submission as running and return it; None if none waits."""
        with writing(self.engine) as connection:
            while (row := _longest_waiting(connection)) is not None:
                one = _grading(row)
                if one is None:
                    # A row with an invalid pack can never be graded and must not block others.
                    connection.execute(delete(gradings).where(gradings.c.id == row.id))
                    continue
                began = {"state": State.RUNNING, "tries": one.tries + 1, "began": datetime.now(UTC)}
                _set(connection, one.id, began)
                return one
        return None

    def done(self, one: int) -> None:
        """Record that the report was written."""
        with writing(self.engine) as connection:
            _set(
                connection,
                one,
                {
                    "state": State.DONE,
                    "ended": datetime.now(UTC),
                    "graded": gradings.c.graded + 1,
                    "problem": "",
                },
            )

    def failed(self, one: int, problem: str) -> None:
        """Record a failure for people to look at. problem: one sentence."""
        with writing(self.engine) as connection:
            values = {"state": State.FAILED, "ended": datetime.now(UTC), "problem": problem}
            _set(connection, one, values)

    def lost(self, one: int, problem: str) -> None:
        """Queue a submission again after an interruption, or fail it after TRIES attempts."""
        with writing(self.engine) as connection:
            row = connection.execute(select(gradings).where(gradings.c.id == one)).one_or_none()
            if row is not None:
                _set(connection, one, _after_loss(row.tries, problem))

    def recover(self, written: WrittenSince, *, asked: bool = False) -> int:
        """Settle interrupted gradings; return their number. The caller must hold the lock.

        asked: the grader was told to end, so the attempt does not count.
        """
        query = select(gradings).where(gradings.c.state == State.RUNNING)
        with reading(self.engine) as connection:
            rows = connection.execute(query).all()
        for row in rows:
            if written(UUID(row.pack), row.digest, row.began):
                self.done(row.id)
            elif asked:
                self._give_back(row.id, row.tries)
            else:
                self.lost(row.id, CUT_OFF)
        return len(rows)

    def _give_back(self, one: int, tries: int) -> None:
        with writing(self.engine) as connection:
            _set(connection, one, {"state": State.QUEUED, "tries": tries - 1})

    def reconcile(self, team: Team, written: WrittenSince) -> None:
        """Queue submissions that are in the team's folder but not in the queue."""
        known = self.all()
        for record in team.packs():
            # Earlier hand-ins that were never graded are not needed.
            for hand_in in record.submitted[-1:]:
                if (record.pack, hand_in.digest) not in known:
                    is_done = written(record.pack, hand_in.digest, None)
                    self.add(record.pack, hand_in.digest, State.DONE if is_done else State.QUEUED)


def _longest_waiting(connection: Connection) -> Row[*tuple[Any, ...]] | None:
    query = (
        select(*_READ)
        .where(gradings.c.state == State.QUEUED)
        .order_by(gradings.c.queued, gradings.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    return connection.execute(query).one_or_none()


def _after_loss(tries: int, problem: str) -> dict[str, object]:
    if tries < TRIES:
        return {"state": State.QUEUED}
    return {"state": State.FAILED, "ended": datetime.now(UTC), "problem": problem}


def _set(connection: Connection, one: int, values: Mapping[str, object]) -> None:
    connection.execute(update(gradings).where(gradings.c.id == one).values(values))


def _grading(row: Row[*tuple[Any, ...]]) -> Grading | None:
    """Convert a row; return None if its pack is invalid. An invalid state becomes FAILED."""
    try:
        pack = UUID(row.pack)
    except ValueError:
        return None
    try:
        state, problem = State(row.state), row.problem
    except ValueError:
        state, problem = State.FAILED, DAMAGED
    return Grading(row.id, pack, row.digest, state, row.tries, row.graded, problem)
