"""Polls the queue once for all clients that follow a job."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import get_args

from sqlalchemy import Connection, Engine, func, select

from hotloop.core.transactions import reading
from hotloop.learn.remote.job import Phase
from hotloop.service.course.jobs import QUEUE
from hotloop.service.tables import workers as worker_rows
from hotloop.service.tables import works
from hotloop.service.web.queue import LEASE, WorkState

log = logging.getLogger("hotloop.service")

SOON_S, LATE_S, FOLLOWER_S = 0.02, 0.25, 0.005
"""Seconds between two polls: at least `SOON_S`, `FOLLOWER_S` per follower, at most `LATE_S`."""
ESTIMATE_S = 2.0
"""How often the estimated wait is sent again while nothing else changes."""
RECENT = 20
"""How many finished works the estimated time of one is averaged over."""


@dataclass(frozen=True)
class JobState:
    """State of a job that has not ended; fields as in `hotloop.learn.remote.job.RemoteJob`."""

    phase: Phase
    running: bool = False
    said: str = ""
    position: int | None = None
    waiting: int = 0
    expected_s: float | None = field(default=None, compare=False)


def places(engine: Engine) -> dict[str, JobState]:
    """Return the places of all open jobs, by id."""
    states: dict[str, JobState] = {}
    with reading(engine) as connection:
        for phase in get_args(Phase):
            states |= _of_phase(connection, phase)
    return states


def _of_phase(connection: Connection, phase: Phase) -> dict[str, JobState]:
    running = connection.execute(
        select(works.c.job, works.c.began, works.c.said).where(
            works.c.phase == phase, works.c.state == WorkState.RUNNING
        )
    ).all()
    states = {row.job: JobState(phase, running=True, said=row.said) for row in running}
    waiting = QUEUE.waiting(connection, works.c.phase == phase)
    if not waiting:
        return states
    work_s = _seconds(connection, phase)
    now = datetime.now(UTC)
    ages = [(now - row.began).total_seconds() for row in running]
    under_way = sum(max(0.0, (work_s or 0.0) - age) for age in ages)
    alive = worker_rows.c.beat > now - LEASE
    query = select(func.count()).where(worker_rows.c.phase == phase, alive)
    workers = max(1, connection.execute(query).scalar_one())
    for before, one in enumerate(waiting):
        # While a worker is free, the next work is claimed at once.
        ahead = max(0, before + 1 + len(running) - workers)
        expected = None
        if work_s is not None:
            expected = 0.0 if ahead == 0 else round((under_way + before * work_s) / workers, 1)
        states[one.about] = JobState(phase, False, "", before + 1, len(waiting), expected)
    return states


def _seconds(connection: Connection, phase: Phase) -> float | None:
    """Return the mean time in seconds of the last works; None if there are none."""
    rows = connection.execute(
        select(works.c.began, works.c.ended)
        .where(works.c.phase == phase, works.c.state == WorkState.DONE)
        .order_by(works.c.id.desc())
        .limit(RECENT)
    ).all()
    if not rows:
        return None
    return sum((row.ended - row.began).total_seconds() for row in rows) / len(rows)


@dataclass
class Watch:
    """Polls the queue while at least one client follows a job."""

    engine: Engine
    _followers: int = 0
    _places: dict[str, JobState] = field(default_factory=dict[str, JobState])
    _looked: asyncio.Condition = field(default_factory=asyncio.Condition)
    _task: asyncio.Task[None] | None = None

    async def follow(self, job: str) -> AsyncGenerator[JobState]:
        """Yield a job's place now and whenever it changes; ends when the job is no longer open."""
        self._followers += 1
        if self._task is None:
            self._task = asyncio.create_task(self._look())
        sent, at = None, 0.0
        try:
            while True:
                async with self._looked:
                    await self._looked.wait()
                    place = self._places.get(job)
                if place is None:
                    return
                now = time.monotonic()
                if place != sent or (place.expected_s is not None and now - at > ESTIMATE_S):
                    sent, at = place, now
                    yield place
        finally:
            self._followers -= 1

    async def _look(self) -> None:
        while self._followers:
            try:
                states = await asyncio.to_thread(places, self.engine)
            except Exception:
                # A database that is unavailable for a moment must not end a stream.
                log.exception("the queue cannot be read")
            else:
                async with self._looked:
                    self._places = states
                    self._looked.notify_all()
            await asyncio.sleep(min(LATE_S, max(SOON_S, FOLLOWER_S * self._followers)))
        self._task = None

    async def end(self) -> None:
        """Stop polling."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
