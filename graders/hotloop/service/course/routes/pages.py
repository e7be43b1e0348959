"""Pages: an invitation's page, and for instructors the queue, the people and the faults."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated

from fastapi import APIRouter, Form
from fastapi import Path as InPath
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hotloop.core.transactions import writing
from hotloop.service.course import overview, people
from hotloop.service.course.routes.login import NO_INVITATION
from hotloop.service.course.service import Here, Service
from hotloop.service.pages import page
from hotloop.service.web import accounts
from hotloop.service.web.accounts import AccountError, Member
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.site import Who, begin_session, pages_for, unknown
from hotloop.service.web.uploads import nearly_full

FOR_INSTRUCTORS = "These pages are for instructors."
MOST_NAMES = 300
"""Most names invited at once."""

router = APIRouter(default_response_class=Response, include_in_schema=False)
for_instructors = pages_for("instructor", FOR_INSTRUCTORS)

Secret = Annotated[str, InPath(max_length=100)]


@router.get("/join/{secret}")
def join(request: Request, service: Here, secret: Secret) -> Response:
    """Show an invitation and how to use it; showing it does not use it up."""
    person = people.invited(service.engine, secret)
    if person is None:
        raise unknown(request, 410, NO_INVITATION)
    return page("join.html", person=person, link=service.link(secret))


@router.post("/join/{secret}")
def enter(request: Request, service: Here, secret: Secret) -> Response:
    """Exchange an instructor's invitation for a session."""
    person = people.invited(service.engine, secret)
    if person is not None and person.role != "instructor":
        raise RequestRefused(403, FOR_INSTRUCTORS)
    with writing(service.engine) as connection:
        person = people.use_up(connection, secret)
    if person is None:
        raise unknown(request, 410, NO_INVITATION)
    return begin_session(service.site, request, person.account, service.home)


@for_instructors.get("/queue")
def queue(service: Here, who: Who) -> Response:
    """Show the jobs that wait and those being judged."""
    jobs = overview.queue(service.engine)
    return page(
        "queue.html",
        member=who,
        shown=jobs[: overview.MOST],
        count=len(jobs),
        working=overview.working(service.engine),
    )


@for_instructors.get("/people")
def listed(service: Here, who: Who) -> Response:
    """Show the people with an account."""
    return _people(service, who)


@for_instructors.post("/people")
def invite(
    service: Here,
    who: Who,
    names: Annotated[str, Form(max_length=16_000)],
    role: Annotated[people.Role, Form()] = "learner",
) -> Response:
    """Make invitations; their links are shown once."""
    wanted = names.split()
    if len(wanted) > MOST_NAMES:
        raise RequestRefused(422, f"Invite at most {MOST_NAMES} at once.")
    links: dict[str, str] = {}
    problems: list[str] = []
    for name in wanted:
        try:
            links[name] = service.link(people.invite(service.engine, name, role))
        except AccountError as error:
            problems.append(str(error))
    return _people(service, who, links, problems)


@for_instructors.post("/people/remove")
def remove(service: Here, who: Who, name: Annotated[str, Form(max_length=60)]) -> Response:
    """Delete an account with everything it has sent."""
    if name == who.name:
        raise RequestRefused(409, "This is your own account: another instructor can remove it.")
    try:
        accounts.remove(service.engine, name, *people.ROLES)
    except AccountError as error:
        raise RequestRefused(404, str(error)) from None
    return RedirectResponse("/people", 303)


@for_instructors.get("/faults")
def faults(service: Here, who: Who) -> Response:
    """Show works that could not be judged, scores that the LMS did not accept, and a full disk."""
    least = service.settings.least_free
    return page(
        "faults.html",
        member=who,
        full=nearly_full(service.folders, least),
        least=least >> 20,
        shown=overview.faults(service.engine),
        scores=overview.scores(service.engine),
        has_lms=service.tool is not None,
    )


@for_instructors.post("/faults/again")
def again(service: Here) -> Response:
    """Send all scores to the LMS again, also those that it has, or has refused for good."""
    if service.tool is not None:
        # Imported here, as it needs the dependency group `lti`.
        from hotloop.service.course.lti import sending

        sending.again(service.engine)
    return RedirectResponse("/faults", 303)


def _people(
    service: Service,
    who: Member,
    links: Mapping[str, str] = MappingProxyType({}),
    problems: Sequence[str] = (),
) -> Response:
    return page(
        "people.html",
        member=who,
        shown=people.everybody(service.engine),
        links=links,
        problems=problems,
    )
