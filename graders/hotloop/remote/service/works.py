"""The queue as workers use it: claim, heartbeat, finish, lose.

A finished work is marked in the same transaction that stores its records, and only by the worker
that holds it: a kill at any moment loses nothing and stores nothing twice. A worker sends
heartbeats for its work every few seconds; after `LEASE` without one it loses the work.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Engine, Row, and_, delete, func, insert, select, update

from hotloop.core.record import Record
from hotloop.judged_again import open_on_gpu
from hotloop.remote.job import Phase
from hotloop.remote.service import faults, jobs
from hotloop.remote.service.order import Waiting, in_turn
from hotloop.remote.service.tables import Work, works
from hotloop.remote.service.tables import jobs as job_rows
from hotloop.remote.service.tables import workers as worker_rows
from hotloop.transactions import reading, writing

LEASE = timedelta(seconds=30)
TRIES = 3
"""A work whose worker was lost this many times is given up."""

LATELY = timedelta(hours=1)
"""How long a learner's last turn counts; afterwards they are served as if they had none."""

KNOWN_FOR = timedelta(days=1)
"""How long checks still wait for a GPU after its worker's last heartbeat; later they stay open."""

log = logging.getLogger("hotloop.remote")


@dataclass(frozen=True)
class Claimed:
    """A work that a worker holds. document: the request as JSON."""

    id: int
    job: str
    phase: Phase
    document: str
    records: Sequence[Record]


def has_waiting(engine: Engine, phase: Phase) -> bool:
    """Return whether a work waits: a cheap query before a transaction that writes."""
    query = select(works.c.id).where(works.c.phase == phase, works.c.state == Work.WAITING).limit(1)
    with reading(engine) as connection:
        return connection.execute(query).one_or_none() is not None


def claim(engine: Engine, phase: Phase, worker: str) -> Claimed | None:
    """Claim the next work for this worker; None if none waits."""
    with writing(engine) as connection:
        for one in queue(connection, phase):
            now = datetime.now(UTC)
            mine = connection.execute(
                update(works)
                .where(works.c.id == one.work, works.c.state == Work.WAITING)
                .values(
                    state=Work.RUNNING,
                    tries=works.c.tries + 1,
                    worker=worker,
                    began=now,
                    beat=now,
                    said="",
                )
            )
            if mine.rowcount == 1:
                document = connection.execute(
                    select(job_rows.c.request).where(job_rows.c.id == one.job)
                ).scalar_one()
                return Claimed(one.work, one.job, phase, document, _records(connection, one.job))
    return None


def queue(connection: Connection, phase: Phase) -> list[Waiting]:
    """Return the works that wait for a phase, the next one first."""
    rows = connection.execute(
        select(works.c.id, works.c.job, works.c.account, works.c.queued, job_rows.c.deadline)
        .join(job_rows, job_rows.c.id == works.c.job)
        .where(works.c.phase == phase, works.c.state == Work.WAITING)
    ).all()
    now = datetime.now(UTC)
    served = connection.execute(
        select(works.c.account, func.max(works.c.began).label("last"))
        .where(works.c.phase == phase, works.c.began > now - LATELY)
        .group_by(works.c.account)
    ).all()
    waiting = [Waiting(*row) for row in rows]
    return in_turn(waiting, {row.account: row.last for row in served})


def beat(engine: Engine, held: Claimed, worker: str, said: str) -> bool:
    """Store a heartbeat and the progress; return False if this worker no longer holds the work."""
    with writing(engine) as connection:
        changed = connection.execute(
            update(works)
            .where(*_held(held.id, worker))
            .values(beat=datetime.now(UTC), said=said[:200])
        )
        alive = update(worker_rows).where(worker_rows.c.name == worker)
        connection.execute(alive.values(beat=datetime.now(UTC)))
        return changed.rowcount == 1


def is_held(engine: Engine, held: Claimed, worker: str) -> bool:
    """Return whether this worker still holds the work; it may have been cancelled."""
    with reading(engine) as connection:
        query = select(works.c.id).where(*_held(held.id, worker))
        return connection.execute(query).one_or_none() is not None


def finish(engine: Engine, held: Claimed, worker: str, judged: Sequence[Record]) -> bool:
    """Store the records, replacing those of the phase before.

    Then ends the job, or queues it for a GPU. Returns False, and stores nothing, if this worker no
    longer holds the work.
    """
    with writing(engine) as connection:
        now = datetime.now(UTC)
        changed = connection.execute(
            update(works).where(*_held(held.id, worker)).values(state=Work.DONE, ended=now, said="")
        )
        if changed.rowcount == 0:
            return False
        jobs.write(connection, held.job, [(r.task, json.dumps(r.to_json())) for r in judged])
        row = _job(connection, held.job)
        if held.phase == "cpu" and open_on_gpu(judged) and _has_gpu(connection, now):
            jobs.enqueue(connection, held.job, row.account, "gpu", row.place)
        else:
            jobs.close(connection, held.job, "done")
    return True


def release(engine: Engine, worker: str) -> None:
    """Put the work of a worker that has ended back into the queue, or give it up."""
    with writing(engine) as connection:
        _lose(connection, works.c.worker == worker, f"{faults.ENDED} {TRIES} times.")


def give_back(engine: Engine, worker: str) -> None:
    """Put the work of a worker that was told to end back into the queue; the try does not count."""
    with writing(engine) as connection:
        connection.execute(
            update(works)
            .where(works.c.worker == worker, works.c.state == Work.RUNNING)
            .values(state=Work.WAITING, tries=works.c.tries - 1)
        )


def fail(engine: Engine, held: Claimed, worker: str, problem: str) -> None:
    """Put a work that failed by a fault of the judge back into the queue, or give it up."""
    with writing(engine) as connection:
        _lose(connection, and_(*_held(held.id, worker)), problem)


def reclaim(engine: Engine) -> None:
    """Take works from workers without a recent heartbeat: their machine may be gone."""
    silent = works.c.beat < datetime.now(UTC) - LEASE
    with reading(engine) as connection:
        query = select(works.c.id).where(works.c.state == Work.RUNNING, silent).limit(1)
        if connection.execute(query).one_or_none() is None:
            return
    with writing(engine) as connection:
        _lose(connection, silent, f"{faults.SILENT} {TRIES} times.")


def here(engine: Engine, worker: str, phase: Phase, host: str) -> None:
    """Register a worker, and forget workers that were silent for `KNOWN_FOR`."""
    now = datetime.now(UTC)
    with writing(engine) as connection:
        old = (worker_rows.c.name == worker) | (worker_rows.c.beat < now - KNOWN_FOR)
        connection.execute(delete(worker_rows).where(old))
        row = {"name": worker, "phase": phase, "host": host, "beat": now}
        connection.execute(insert(worker_rows).values(row))


def _held(work: int, worker: str) -> Sequence[Any]:
    return works.c.id == work, works.c.worker == worker, works.c.state == Work.RUNNING


def _lose(connection: Connection, which: Any, problem: str) -> None:
    lost = connection.execute(select(works).where(which, works.c.state == Work.RUNNING)).all()
    for work in lost:
        again = work.tries < TRIES
        log.error("%s, %s: %s", work.job, work.phase, "again" if again else problem)
        if again:
            _set(connection, work.id, state=Work.WAITING)
            continue
        _set(connection, work.id, state=Work.LOST, ended=datetime.now(UTC), problem=problem)
        job = _job(connection, work.job)
        tasks: list[str] = json.loads(job.tasks)
        known = _records(connection, work.job)
        given_up = faults.given_up(job.module, tasks, known, problem)
        jobs.write(connection, work.job, [(r.task, json.dumps(r.to_json())) for r in given_up])
        jobs.close(connection, work.job, "done")


def _set(connection: Connection, work: int, **values: Any) -> None:
    connection.execute(update(works).where(works.c.id == work).values(**values))


def _job(connection: Connection, job: str) -> Row[*tuple[Any, ...]]:
    columns = (job_rows.c.account, job_rows.c.place, job_rows.c.module, job_rows.c.tasks)
    return connection.execute(select(*columns).where(job_rows.c.id == job)).one()


def _records(connection: Connection, job: str) -> list[Record]:
    found = connection.execute(
        select(jobs.records.c.record).where(jobs.records.c.job == job)
    ).scalars()
    return [Record.from_json(json.loads(text)) for text in found]


def _has_gpu(connection: Connection, now: datetime) -> bool:
    query = select(worker_rows.c.name).where(
        worker_rows.c.phase == "gpu", worker_rows.c.beat > now - KNOWN_FOR
    )
    return connection.execute(query.limit(1)).one_or_none() is not None
