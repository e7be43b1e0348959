"""A site's queue of works: the judging service's jobs, and the portal's submissions to grade.

A work is stored before anybody is told that it was taken. A worker claims the next one in turn and
holds it as long as it sends heartbeats: after `LEASE` without one, or at once when its process is
seen to end, the work waits again, and after `TRIES` it is given up. A work is ended only by the
worker that holds it, in the transaction that stores what was found: a kill at any moment loses
nothing and stores nothing twice.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Engine,
    Integer,
    Row,
    Select,
    String,
    Table,
    Text,
    func,
    insert,
    select,
    update,
)

from hotloop.core.transactions import reading, writing
from hotloop.service.web.database import Utc
from hotloop.service.web.turns import WaitingWork, in_turn

LEASE = timedelta(seconds=30)
TRIES = 3
"""A work whose worker was lost this many times is given up."""

LATELY = timedelta(hours=1)
"""How long an owner's last turn counts; afterwards they are served as if they had none."""

log = logging.getLogger("hotloop.service.web")

WorkRow = Row[*tuple[Any, ...]]


class WorkState(StrEnum):
    """State of a work. LOST: given up, people are told. DROPPED: not wanted any more."""

    WAITING = "waiting"
    RUNNING = "running"
    DONE = "done"
    LOST = "lost"
    DROPPED = "dropped"


def columns() -> list[Column[Any]]:
    """Return the columns that the table of every queue has; a site adds what its works are about.

    queued: since when it waits. worker, began, beat: of the latest try. said: its progress.
    """
    return [
        Column("id", Integer, primary_key=True),
        Column("state", String(10), nullable=False),
        Column("tries", Integer, nullable=False),
        Column("queued", Utc, nullable=False),
        Column("worker", String(60), nullable=False),
        Column("began", Utc),
        Column("beat", Utc),
        Column("ended", Utc),
        Column("said", String(200), nullable=False),
        Column("problem", Text, nullable=False),
    ]


@dataclass(frozen=True)
class WorkQueue:
    """The queue of a site.

    works: its table. owner: the column that says whose work it is. turns: selects id, subject,
    owner, time since when it waits, and deadline of works. ended, silent: the problem of a work
    that is given up since its worker ended, or sent no heartbeat, too often. given_up: called with
    a work that is given up and the problem, in the same transaction.
    """

    works: Table
    owner: Column[Any]
    turns: Select[*tuple[Any, ...]]
    ended: str
    silent: str
    given_up: Callable[[Connection, WorkRow, str], None] = lambda _connection, _row, _problem: None

    def add(self, connection: Connection, queued: datetime, **about: Any) -> None:
        """Put a work into the queue. about: the site's own columns."""
        row = {"tries": 0, "queued": queued, "worker": "", "said": "", "problem": ""}
        connection.execute(insert(self.works).values({"state": WorkState.WAITING, **row, **about}))

    def has_waiting(self, engine: Engine, *which: ColumnElement[bool]) -> bool:
        """Return whether a work waits: a cheap query before a transaction that writes."""
        waits = self.works.c.state == WorkState.WAITING
        with reading(engine) as connection:
            rows = connection.execute(select(self.works.c.id).where(waits, *which).limit(1))
            return rows.one_or_none() is not None

    def waiting(self, connection: Connection, *which: ColumnElement[bool]) -> list[WaitingWork]:
        """Return the works that wait, the next one first. which: of these works."""
        works = self.works.c
        rows = connection.execute(self.turns.where(works.state == WorkState.WAITING, *which)).all()
        lately = works.began > datetime.now(UTC) - LATELY
        last = select(self.owner, func.max(works.began)).where(lately, *which).group_by(self.owner)
        served = {row[0]: row[1] for row in connection.execute(last)}
        return in_turn([WaitingWork(*row) for row in rows], served)

    def claim(
        self, connection: Connection, worker: str, *which: ColumnElement[bool]
    ) -> WorkRow | None:
        """Have a worker hold the next work; None if none waits. which: of these works.

        Returns the work's row as it was before.
        """
        turns = self.waiting(connection, *which)
        if not turns:
            return None
        # Writers take turns (`hotloop.core.transactions`), so nobody else claims it meanwhile.
        works, now = self.works.c, datetime.now(UTC)
        its_own = works.id == turns[0].work
        row = connection.execute(select(self.works).where(its_own)).one()
        held = {"worker": worker, "tries": works.tries + 1, "began": now, "beat": now, "said": ""}
        self._set(connection, its_own, state=WorkState.RUNNING, **held)
        return row

    def beat(self, connection: Connection, worker: str, said: str = "") -> bool:
        """Store a heartbeat and the progress; return False if this worker holds no work."""
        own = self.works.c.worker == worker
        return self._set(connection, own, *self._running, beat=datetime.now(UTC), said=said[:200])

    def is_held(self, engine: Engine, work: int, worker: str) -> bool:
        """Return whether this worker holds a work; it may have been canceled."""
        with reading(engine) as connection:
            query = select(self.works.c.id).where(*self._held(work, worker))
            return connection.execute(query).one_or_none() is not None

    def end(
        self,
        connection: Connection,
        work: int,
        worker: str,
        state: WorkState = WorkState.DONE,
        **about: Any,
    ) -> bool:
        """End a work; return False, and change nothing, if this worker does not hold it.

        about: columns to set.
        """
        over = {"state": state, "ended": datetime.now(UTC), "said": "", **about}
        return self._set(connection, *self._held(work, worker), **over)

    def drop(self, connection: Connection, *which: ColumnElement[bool]) -> None:
        """Drop works that wait or are under way: what a worker finds for them is not stored."""
        is_open = self.works.c.state.in_([WorkState.WAITING, WorkState.RUNNING])
        self._set(connection, is_open, *which, state=WorkState.DROPPED)

    def fail(self, engine: Engine, work: int, worker: str, problem: str) -> None:
        """Have a work that failed by a fault of ours wait again, or give it up."""
        with writing(engine) as connection:
            self._lose(connection, problem, *self._held(work, worker))

    def release(self, engine: Engine, worker: str) -> None:
        """Have the works of a worker that has ended wait again, or give them up."""
        with writing(engine) as connection:
            self._lose(connection, self.ended, self.works.c.worker == worker, *self._running)

    def reclaim(self, engine: Engine) -> None:
        """Take works from workers without a recent heartbeat: their machine may be gone."""
        silent = (self.works.c.beat < datetime.now(UTC) - LEASE, *self._running)
        with reading(engine) as connection:
            query = select(self.works.c.id).where(*silent).limit(1)
            if connection.execute(query).one_or_none() is None:
                return
        with writing(engine) as connection:
            self._lose(connection, self.silent, *silent)

    def give_back(self, engine: Engine, worker: str) -> None:
        """Have the works of a worker that was told to end wait again; the try does not count."""
        own, tries = self.works.c.worker == worker, self.works.c.tries - 1
        with writing(engine) as connection:
            self._set(connection, own, *self._running, state=WorkState.WAITING, tries=tries)

    @property
    def _running(self) -> Sequence[ColumnElement[bool]]:
        return (self.works.c.state == WorkState.RUNNING,)

    def _held(self, work: int, worker: str) -> Sequence[ColumnElement[bool]]:
        return self.works.c.id == work, self.works.c.worker == worker, *self._running

    def _lose(self, connection: Connection, problem: str, *which: ColumnElement[bool]) -> None:
        for row in connection.execute(select(self.works).where(*which)).all():
            again = row.tries < TRIES
            log.error("work %d of %s: %s", row.id, self.works.name, "again" if again else problem)
            its_own = self.works.c.id == row.id
            if again:
                self._set(connection, its_own, state=WorkState.WAITING)
                continue
            over = {"ended": datetime.now(UTC), "problem": problem}
            self._set(connection, its_own, state=WorkState.LOST, **over)
            self.given_up(connection, row, problem)

    def _set(self, connection: Connection, *which: ColumnElement[bool], **values: Any) -> bool:
        changed = connection.execute(update(self.works).where(*which).values(values))
        return changed.rowcount > 0
