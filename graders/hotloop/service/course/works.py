"""What the service's workers do with its queue (`jobs.QUEUE`). A work is one phase of a job.

A work that is done leaves records; then its job ends, or waits for a GPU.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine, delete, insert, select, update

from hotloop.core.record import Record
from hotloop.core.transactions import writing
from hotloop.learn.remote.job import Phase
from hotloop.service.course import jobs
from hotloop.service.course.jobs import QUEUE
from hotloop.service.tables import jobs as job_rows
from hotloop.service.tables import workers as worker_rows
from hotloop.service.tables import works
from hotloop.tasks.judged_again import open_on_gpu

KNOWN_FOR = timedelta(days=1)
"""How long checks still wait for a GPU after its worker's last heartbeat; later they stay open."""


@dataclass(frozen=True)
class Claimed:
    """A work that a worker holds. document: the request as JSON."""

    id: int
    job: str
    phase: Phase
    document: str
    records: Sequence[Record]


def claim(engine: Engine, phase: Phase, worker: str) -> Claimed | None:
    """Claim the next work for this worker; None if none waits."""
    if not QUEUE.has_waiting(engine, works.c.phase == phase):
        return None
    with writing(engine) as connection:
        row = QUEUE.claim(connection, worker, works.c.phase == phase)
        if row is None:
            return None
        document = connection.execute(
            select(job_rows.c.request).where(job_rows.c.id == row.job)
        ).scalar_one()
        return Claimed(row.id, row.job, phase, document, jobs.known(connection, row.job))


def beat(engine: Engine, worker: str, said: str) -> bool:
    """Store a heartbeat and the progress; return False if this worker no longer holds a work."""
    with writing(engine) as connection:
        alive = update(worker_rows).where(worker_rows.c.name == worker)
        connection.execute(alive.values(beat=datetime.now(UTC)))
        return QUEUE.beat(connection, worker, said)


def finish(engine: Engine, held: Claimed, worker: str, judged: Sequence[Record]) -> bool:
    """Store the records, replacing those of the phase before.

    Then ends the job, or queues it for a GPU. Returns False, and stores nothing, if this worker no
    longer holds the work.
    """
    with writing(engine) as connection:
        if not QUEUE.end(connection, held.id, worker):
            return False
        jobs.write(connection, held.job, [(r.task, json.dumps(r.to_json())) for r in judged])
        known = worker_rows.c.beat > datetime.now(UTC) - KNOWN_FOR
        gpu = select(worker_rows.c.name).where(worker_rows.c.phase == "gpu", known).limit(1)
        if held.phase == "cpu" and open_on_gpu(judged) and connection.execute(gpu).first():
            jobs.enqueue(connection, held.job, "gpu")
        else:
            jobs.close(connection, held.job, "done")
    return True


def here(engine: Engine, worker: str, phase: Phase, host: str) -> None:
    """Register a worker, and forget workers that were silent for `KNOWN_FOR`."""
    now = datetime.now(UTC)
    with writing(engine) as connection:
        old = (worker_rows.c.name == worker) | (worker_rows.c.beat < now - KNOWN_FOR)
        connection.execute(delete(worker_rows).where(old))
        row = {"name": worker, "phase": phase, "host": host, "beat": now}
        connection.execute(insert(worker_rows).values(row))
