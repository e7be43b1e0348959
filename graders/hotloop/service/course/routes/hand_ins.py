"""Routes for handing work in, for its dates, for feedback on it and for regrade requests."""

from __future__ import annotations

import logging
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import APIRouter, BackgroundTasks, Path

from hotloop.core.user_error import UserError
from hotloop.learn.remote.job import Dates, ModuleDate, Released, Taken
from hotloop.learn.remote.request import MAX_BYTES, RegradeRequest, SubmittedWork, parsed
from hotloop.service import judging
from hotloop.service.course import hand_ins, people
from hotloop.service.course.hand_ins import CourseExchange
from hotloop.service.course.people import Person
from hotloop.service.course.service import Asking, Body, Here, Key, Service, body_of
from hotloop.service.web.answers import RequestRefused
from hotloop.tasks import curriculum

NO_COURSE = "Nothing is handed in here: this service has no course."

NO_GRADEBOOK = "The gradebook does not answer just now: try again in a while."

log = logging.getLogger("hotloop.service")

Module = Annotated[str, Path(pattern=r"^[a-z][a-z0-9_]{0,59}$")]

router = APIRouter(prefix="/api", tags=["hand-ins"])


@router.post("/hand-ins", max_body_size=MAX_BYTES, openapi_extra=body_of(SubmittedWork))
def hand_in(service: Here, who: Asking, key: Key, body: Body, afterwards: BackgroundTasks) -> Taken:
    """Hand work in. Answers once it is stored; sending it again with the same key has no effect.

    Work that is late, loses points for that and would replace work in time is taken only with
    `late`.
    """
    exchange = _exchange(service)
    try:
        work = parsed(SubmittedWork, body)
        judging.require_release(work)
        work.contents()
    except (UserError, ValueError) as error:
        raise RequestRefused(422, str(error)) from None
    if not exchange.has(work.module):
        raise RequestRefused(409, f"{work.module} was not released in this course.")
    rules = None if service.dates is None else service.dates.rules()
    new = hand_ins.NewHandIn(who.account, who.name, key, work, rules)
    at = hand_ins.put(service.engine, exchange, new)
    # Afterwards, as the gradebook may be locked for a while and the hand-in needs it not.
    afterwards.add_task(_introduce, service, exchange, who)
    return Taken(handed_in=at, late=hand_ins.lateness(new, at))


@router.get("/dates")
def dates(service: Here, who: Asking) -> Dates:
    """Return what was released in the course, when you have to hand it in, and when you did."""
    exchange = _exchange(service)
    rules = None if service.dates is None else service.dates.rules()
    if rules is None:
        raise RequestRefused(503, NO_GRADEBOOK, wait_s=10)
    now, latest = datetime.now(UTC), hand_ins.latest(service.engine, who.account)
    listed: list[ModuleDate] = []
    for module in filter(exchange.has, sorted(rules.modules)):
        due = rules.due(module, who.name)
        at = now if due is None or due < now else due + timedelta(seconds=1)
        listed.append(
            ModuleDate(
                module=module,
                due=due,
                if_late=rules.consequence(module, who.name, at),
                handed_in=latest.get(module),
            )
        )
    return Dates(modules=listed)


@router.post("/requests", status_code=202)
def regrade(service: Here, who: Asking, body: RegradeRequest) -> None:
    """Ask your instructor to look at a task again; the answer stands on your feedback page."""
    exchange = _exchange(service)
    if not exchange.has(body.module):
        raise RequestRefused(409, f"{body.module} was not released in this course.")
    if body.task not in [task.id for task in curriculum.load_module(body.module).tasks]:
        raise RequestRefused(422, f"{body.module} has no task {body.task}.")
    # Imported here, as a service without a course needs no nbgrader.
    from hotloop.course import requests
    from hotloop.course.attempts.database_retry import StoreUnavailable

    try:
        requests.enter(exchange.root, who.name, body)
    except StoreUnavailable:
        log.exception("a regrade request was not taken")
        raise RequestRefused(503, NO_GRADEBOOK, wait_s=10) from None
    except UserError as error:
        raise RequestRefused(429, str(error)) from None


@router.get("/feedback/{module}")
def feedback(service: Here, who: Asking, module: Module) -> Released:
    """Return the released feedback on your own work."""
    released = hand_ins.released(service.engine, _exchange(service), who.account, module)
    return Released(feedback=released)


def _introduce(service: Service, exchange: CourseExchange, who: Person) -> None:
    """Enter who somebody is, whom an LMS has sent, into the gradebook."""
    person = people.of_lms(service.engine, who.account).get(who.account)
    if person is None:
        return
    from hotloop.course import student_names

    names = student_names.StudentNames(person.first, person.last, person.email, person.subject)
    try:
        student_names.enter(exchange.root, who.name, names)
    except Exception:
        # The next hand-in does it.
        log.exception("the gradebook has no name for %s", who.name)


def _exchange(service: Service) -> CourseExchange:
    if service.exchange is None:
        raise RequestRefused(409, NO_COURSE)
    return service.exchange
