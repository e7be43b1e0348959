"""Routes for handing work in, and for feedback on it."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Path

from hotloop.core.user_error import UserError
from hotloop.learn.remote.job import Released, Taken
from hotloop.learn.remote.request import MAX_BYTES, RemoteHandIn, parsed
from hotloop.service import judging
from hotloop.service.course import hand_ins
from hotloop.service.course.hand_ins import CourseExchange
from hotloop.service.course.service import Asking, Body, Here, Key, Service, body_of
from hotloop.service.web.answers import RequestRefused

NO_COURSE = "Nothing is handed in here: this service has no course."

Module = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,59}$")]

router = APIRouter(prefix="/api", tags=["hand-ins"])


@router.post("/hand-ins", max_body_size=MAX_BYTES, openapi_extra=body_of(RemoteHandIn))
def hand_in(service: Here, who: Asking, key: Key, body: Body) -> Taken:
    """Hand work in. Answers once it is stored; sending it again with the same key has no effect."""
    exchange = _exchange(service)
    try:
        work = parsed(RemoteHandIn, body)
        judging.require_release(work)
        work.contents()
    except (UserError, ValueError) as error:
        raise RequestRefused(422, str(error)) from None
    if not exchange.has(work.module):
        raise RequestRefused(409, f"{work.module} was not released in this course.")
    deadline = service.group.deadlines.get(work.module)
    new = hand_ins.NewHandIn(who.account, who.name, key, work, deadline)
    return Taken(handed_in=hand_ins.put(service.engine, exchange, new))


@router.get("/feedback/{module}")
def feedback(service: Here, who: Asking, module: Module) -> Released:
    """Return the released feedback on your own work."""
    released = hand_ins.released(service.engine, _exchange(service), who.account, module)
    return Released(feedback=released)


def _exchange(service: Service) -> CourseExchange:
    if service.exchange is None:
        raise RequestRefused(409, NO_COURSE)
    return service.exchange
