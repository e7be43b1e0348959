"""Jobs: put in, looked at, followed, cancelled. Nobody sees those of others."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterable
from dataclasses import asdict
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends
from fastapi.sse import EventSourceResponse, ServerSentEvent
from starlette.concurrency import run_in_threadpool

from hotloop.core.user_error import UserError
from hotloop.remote import judging
from hotloop.remote.job import Job, Stored
from hotloop.remote.request import MAX_BYTES, parsed
from hotloop.remote.request import Request as Asked
from hotloop.remote.service import jobs
from hotloop.remote.service.jobs import Outcome
from hotloop.remote.service.service import Asking, Body, Here, Key, Service, body_of
from hotloop.remote.service.watch import Place, places
from hotloop.variants import Variant
from hotloop.web.answers import Refused

NO_JOB = "There is no such job of yours."


async def own(service: Here, who: Asking, job: UUID) -> str:
    """The id of a job of who asks. Refused where it is none of theirs."""
    found = await run_in_threadpool(jobs.find, service.engine, who.account, str(job))
    if found is None:
        raise Refused(404, NO_JOB)
    return found.id


async def stream(service: Here, who: Asking) -> AsyncGenerator[None]:
    """A place for one more stream. Refused when the person has too many."""
    service.rates.count("stream", str(who.account))
    with service.stream(who):
        yield


Own = Annotated[str, Depends(own)]

router = APIRouter(prefix="/api/jobs", tags=["jobs"])


@router.post("", status_code=202, max_body_size=MAX_BYTES, openapi_extra=body_of(Asked))
def put(service: Here, who: Asking, key: Key, body: Body) -> Stored:
    """Have tasks judged. The answer comes once that is stored.

    Sent again with the same key, it is the same job. What you sent before of the same tasks, and
    still waits, is replaced.
    """
    try:
        asked = parsed(Asked, body)
        judging.require_known(asked)
        asked.contents()
        if asked.variant is not None:
            Variant.from_json(asked.variant)
    except (UserError, ValueError) as error:
        raise Refused(422, str(error)) from None
    deadline = service.group.deadlines.get(asked.module)
    sent = jobs.Put(who.account, key, asked.model_dump_json(), asked, deadline)
    return Stored(id=jobs.put(service.engine, sent))


@router.get("/{job}")
def look(service: Here, who: Asking, job: Own) -> Job:
    """Where a job is, with the records that there are. Who wants to know often has the stream."""
    # It reads the whole queue: as often as a stream may begin, and no more.
    service.rates.count("stream", str(who.account))
    return _seen(job, jobs.outcome(service.engine, job), places(service.engine).get(job))


@router.get("/{job}/events", response_class=EventSourceResponse, dependencies=[Depends(stream)])
async def follow(service: Here, job: Own) -> AsyncIterable[ServerSentEvent]:
    """A stream of `state` events, the last of which says that the job has ended.

    Each holds all of the job, so that whoever connects again has missed nothing.
    """
    found = await _outcome(service, job)
    while found.state == "open":
        phase = None
        async for at in service.watch.follow(job):
            # Records come between the phases only.
            if at.phase != phase:
                phase, found = at.phase, await _outcome(service, job)
            yield ServerSentEvent(data=_seen(job, found, at), event="state")
        found = await _outcome(service, job)
    yield ServerSentEvent(data=_seen(job, found, None), event="state")


@router.post("/{job}/cancel", status_code=204)
def cancel(service: Here, job: Own) -> None:
    """End an open job of yours. One that has ended stays as it is."""
    jobs.cancel(service.engine, job)


async def _outcome(service: Service, job: str) -> Outcome:
    return await run_in_threadpool(jobs.outcome, service.engine, job)


def _seen(job: str, found: Outcome, place: Place | None) -> Job:
    at = asdict(place) if place is not None and found.state == "open" else {}
    return Job(id=job, **vars(found), **at)
