"""Routes of jobs: create, look up, follow, cancel. A job is visible to its owner only."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from hotloop.core.user_error import UserError
from hotloop.learn.remote.job import RemoteJob, Stored
from hotloop.learn.remote.request import MAX_BYTES, WholeRequest, parsed
from hotloop.learn.remote.request import RemoteRequest as JudgeRequest
from hotloop.service import judging
from hotloop.service.course import jobs
from hotloop.service.course.service import Asking, Body, Here, Key, Service, body_of
from hotloop.service.course.watch import JobState, places
from hotloop.service.web.answers import RequestRefused

NO_JOB = "There is no such job of yours."


async def own(service: Here, who: Asking, job: UUID) -> str:
    """Return the id of the asking person's job. Raises Refused if they have none with this id."""
    row = await run_in_threadpool(jobs.find, service.engine, who.account, str(job))
    if row is None:
        raise RequestRefused(404, NO_JOB)
    return row.id


async def stream(service: Here, who: Asking) -> AsyncGenerator[None]:
    """Reserve a stream while the request lasts. Raises Refused if the person has too many."""
    service.rates.count("stream", str(who.account))
    with service.stream(who):
        yield


Own = Annotated[str, Depends(own)]

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.post("", status_code=202, max_body_size=MAX_BYTES, openapi_extra=body_of(JudgeRequest))
def put(service: Here, who: Asking, key: Key, body: Body) -> Stored:
    """Have tasks judged, with the variant of the course. Answers once the request is stored.

    Sending it again with the same key returns the same job. An earlier job of yours for the same
    tasks that still waits is replaced.
    """
    try:
        request = parsed(JudgeRequest, body)
        judging.require_known(request)
        request.contents()
    except (UserError, ValueError) as error:
        raise RequestRefused(422, str(error)) from None
    deadline = None if service.dates is None else service.dates.due(request.module, who.name)
    if deadline is not None and deadline < datetime.now(UTC):
        deadline = None  # a module that is overdue must not stay ahead of the others
    whole = _completed(service, request)
    return Stored(id=jobs.put(service.engine, who.account, key, whole, deadline))


@router.get("/{job}")
def look(service: Here, who: Asking, job: Own) -> RemoteJob:
    """Return the state of a job, with the records so far. Use the stream to follow a job."""
    # A look reads the whole queue, so it counts against the same limit as a new stream.
    service.rates.count("stream", str(who.account))
    return _seen(jobs.outcome(service.engine, job), places(service.engine).get(job))


@router.get("/{job}/events", response_class=EventSourceResponse, dependencies=[Depends(stream)])
async def follow(service: Here, job: Own) -> AsyncIterable[ServerSentEvent]:
    """Send a stream of `state` events; the last one says that the job has ended.

    Each event holds the complete job, so a client that reconnects has missed nothing.
    """
    result = await _outcome(service, job)
    while result.state == "open":
        phase = None
        async for at in service.watch.follow(job):
            # Records change between the phases only.
            if at.phase != phase:
                phase, result = at.phase, await _outcome(service, job)
            yield ServerSentEvent(data=_seen(result, at), event="state")
        result = await _outcome(service, job)
    yield ServerSentEvent(data=result, event="state")


@router.post("/{job}/cancel", status_code=204)
def cancel(service: Here, job: Own) -> None:
    """End an open job of yours. A job that has ended is not changed."""
    jobs.cancel(service.engine, job)


def _completed(service: Service, request: JudgeRequest) -> WholeRequest:
    """Return the request with what the course gave. Raises Refused if the work is not for that."""
    variant, files = service.given(request.module)
    if request.made_for not in (None, variant.digest):
        raise RequestRefused(
            422,
            f"Your folder is made for another variant of {request.module} than this course has: "
            "fetch the module again.",
        )
    document = None if variant.is_plain else variant.to_json()
    return WholeRequest(**dict(request), variant=document, given=dict(files))


async def _outcome(service: Service, job: str) -> RemoteJob:
    return await run_in_threadpool(jobs.outcome, service.engine, job)


def _seen(job: RemoteJob, place: JobState | None) -> RemoteJob:
    """Add a job's place in the queue while it is open."""
    if place is None or job.state != "open":
        return job
    return job.model_copy(update=asdict(place))
