"""Jobs as learners see them: created, looked up, canceled."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import UTC, datetime
from hashlib import sha256
from uuid import uuid4

from sqlalchemy import Connection, Engine, Row, delete, func, insert, select, update

from hotloop.core.record import Record
from hotloop.core.transactions import reading, writing
from hotloop.learn.remote.job import Phase, RemoteJob
from hotloop.learn.remote.request import MAX_BYTES, WholeRequest
from hotloop.service.course import faults
from hotloop.service.tables import jobs, records, works
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.queue import WorkQueue, WorkRow, WorkState
from hotloop.tasks.variants import digest_of

MOST_OPEN = 20
"""Most open jobs of one learner."""

MOST_OPEN_BYTES = 2 * MAX_BYTES
"""Most bytes of their requests, which are stored until the jobs end."""

KEY_REUSED = (
    "This idempotency key was sent with another request before: a new request takes a new key."
)


def put(
    engine: Engine, account: int, key: str, request: WholeRequest, deadline: datetime | None = None
) -> str:
    """Store a job, put it in the queue, and return its id. Idempotent per key.

    key: the idempotency key. request: a learner's, completed by what the course gave. A waiting job
    of the same learner whose tasks are all in this one is replaced, and the new job takes its place
    in the queue. Raises Refused if the key was used for another request, or if too many jobs are
    open.
    """
    document = request.model_dump_json()
    digest = sha256(document.encode()).hexdigest()
    with writing(engine) as connection:
        before = connection.execute(
            select(jobs.c.id, jobs.c.digest).where(jobs.c.account == account, jobs.c.key == key)
        ).one_or_none()
        if before is not None:
            if before.digest != digest:
                raise RequestRefused(422, KEY_REUSED)
            return str(before.id)
        now = datetime.now(UTC)
        place = min([now, *_replaced(connection, account, request)])
        _require_room(connection, account, len(document))
        job = str(uuid4())
        row = {
            "id": job,
            "account": account,
            "key": key,
            "digest": digest,
            "module": request.module,
            "tasks": json.dumps(request.tasks),
            "request": document,
            "state": "open",
            "submitted": now,
            "place": place,
            "deadline": deadline,
            "variant": digest_of(request.variant),
        }
        connection.execute(insert(jobs).values(row))
        enqueue(connection, job, "cpu")
    return job


def enqueue(connection: Connection, job: str, phase: Phase) -> None:
    """Put a phase of a job into the queue, at the job's place."""
    query = select(jobs.c.account, jobs.c.place).where(jobs.c.id == job)
    row = connection.execute(query).one()
    QUEUE.add(connection, row.place, job=job, account=row.account, phase=phase)


def close(connection: Connection, job: str, state: str) -> None:
    """End a job: drop its waiting and running works, and delete its files."""
    QUEUE.drop(connection, works.c.job == job)
    over = {"state": state, "request": "", "ended": datetime.now(UTC)}
    connection.execute(update(jobs).where(jobs.c.id == job).values(over))


def cancel(engine: Engine, job: str) -> None:
    """End a job if it is open."""
    with writing(engine) as connection:
        query = select(jobs.c.id).where(jobs.c.id == job, jobs.c.state == "open")
        if connection.execute(query).one_or_none() is not None:
            close(connection, job, "canceled")


def find(engine: Engine, account: int, job: str) -> Row[str] | None:
    """Return a learner's own job; None if there is none with this id."""
    query = select(jobs.c.id).where(jobs.c.id == job, jobs.c.account == account)
    with reading(engine) as connection:
        return connection.execute(query).one_or_none()


def outcome(engine: Engine, job: str) -> RemoteJob:
    """Return the present result of a job, with the records in the order of its tasks."""
    with reading(engine) as connection:
        row = connection.execute(
            select(jobs.c.tasks, jobs.c.state, jobs.c.submitted).where(jobs.c.id == job)
        ).one()
        rows = connection.execute(
            select(records.c.task, records.c.record).where(records.c.job == job)
        ).all()
        problems = connection.execute(
            select(works.c.problem).where(works.c.job == job, works.c.state == WorkState.LOST)
        ).scalars()
        problem = " ".join(problems)
    by_task = {task: json.loads(text) for task, text in rows}
    ordered = [by_task[task] for task in json.loads(row.tasks) if task in by_task]
    return RemoteJob(
        id=job, state=row.state, submitted=row.submitted, problem=problem, records=ordered
    )


def known(connection: Connection, job: str) -> list[Record]:
    """Return the records of a job so far."""
    texts = connection.execute(select(records.c.record).where(records.c.job == job)).scalars()
    return [Record.from_json(json.loads(text)) for text in texts]


def write(connection: Connection, job: str, judged: Sequence[tuple[str, str]]) -> None:
    """Store records, as (task, JSON) pairs; earlier records of the same tasks are replaced."""
    for task, text in judged:
        of_task = (records.c.job == job, records.c.task == task)
        connection.execute(delete(records).where(*of_task))
        connection.execute(insert(records).values(job=job, task=task, record=text))


def _replaced(connection: Connection, account: int, request: WholeRequest) -> list[datetime]:
    """End the jobs that are replaced, and return the places they had in the queue."""
    waiting = connection.execute(
        select(jobs.c.id, jobs.c.tasks, jobs.c.place)
        .join(works, works.c.job == jobs.c.id)
        .where(
            jobs.c.account == account,
            jobs.c.module == request.module,
            jobs.c.state == "open",
            works.c.state == WorkState.WAITING,
        )
    ).all()
    same = [row for row in waiting if set(json.loads(row.tasks)) <= set(request.tasks)]
    for row in same:
        close(connection, row.id, "replaced")
    return [row.place for row in same]


def _require_room(connection: Connection, account: int, length: int) -> None:
    total = func.coalesce(func.sum(func.length(jobs.c.request)), 0)
    query = select(func.count(), total).where(jobs.c.account == account, jobs.c.state == "open")
    count, stored = connection.execute(query).one()
    if count >= MOST_OPEN:
        raise RequestRefused(
            429, f"{MOST_OPEN} of your jobs are open: wait for them, or cancel some.", wait_s=10
        )
    if stored + length > MOST_OPEN_BYTES:
        size = f"Your open jobs have {stored >> 20} MiB of files, and this one has too many more"
        raise RequestRefused(429, f"{size}: wait for them, or cancel some.", wait_s=10)


def _give_up(connection: Connection, work: WorkRow, problem: str) -> None:
    """End the job of a work that was given up; the points that it leaves open stay pending."""
    query = select(jobs.c.module, jobs.c.tasks, jobs.c.variant).where(jobs.c.id == work.job)
    job = connection.execute(query).one()
    before = known(connection, work.job)
    tasks = json.loads(job.tasks)
    lost = faults.given_up(job.module, job.variant, tasks, before, problem)
    write(connection, work.job, [(r.task, json.dumps(r.to_json())) for r in lost])
    close(connection, work.job, "done")


QUEUE = WorkQueue(
    works,
    works.c.account,
    select(works.c.id, works.c.job, works.c.account, works.c.queued, jobs.c.deadline).join(
        jobs, jobs.c.id == works.c.job
    ),
    ended=faults.ENDED,
    silent=faults.SILENT,
    given_up=_give_up,
)
"""The service's queue: works of a phase, in turns of learners."""
