"""Routes that exchange an invitation for a token, and give instructors a link to the pages."""

from __future__ import annotations

from datetime import timedelta

from fastapi import APIRouter
from pydantic import Field
from starlette.requests import Request

from hotloop.core.document import Strict
from hotloop.learn.remote.job import LoginAnswer, OneTimeLink
from hotloop.service.course import people
from hotloop.service.course.service import Asking, Here
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.site import unknown

NO_INVITATION = "This invitation is over, or was used: ask your instructor for another one."

router = APIRouter(prefix="/api", tags=["people"])


class Invitation(Strict):
    """The secret part of an invitation's link."""

    invitation: str = Field(max_length=100)


PAGE_STAY = timedelta(minutes=10)


@router.post("/page")
def page(service: Here, who: Asking) -> OneTimeLink:
    """For an instructor: return a link that opens the pages in a browser, once."""
    if who.role != "instructor":
        raise RequestRefused(403, "The pages are for instructors.")
    secret = people.invitation(service.engine, who.account, PAGE_STAY)
    return OneTimeLink(link=service.link(secret))


@router.post("/login")
def log_in(request: Request, service: Here, body: Invitation) -> LoginAnswer:
    """Exchange an invitation for a token. An invitation works once."""
    login = people.accept(service.engine, body.invitation)
    if login is None:
        raise unknown(request, 410, NO_INVITATION)
    person, token = login
    return LoginAnswer(name=person.name, role=person.role, token=token)
