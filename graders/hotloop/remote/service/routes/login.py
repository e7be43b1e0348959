"""Coming in: an invitation is exchanged for a token."""

from __future__ import annotations

from fastapi import APIRouter
from pydantic import Field
from starlette.requests import Request

from hotloop.problem import Strict
from hotloop.remote.job import Login
from hotloop.remote.service import people
from hotloop.remote.service.service import Here
from hotloop.web.answers import Refused
from hotloop.web.site import client

NO_INVITATION = "This invitation is over, or was used: ask your instructor for another one."

router = APIRouter(prefix="/api", tags=["people"])


class Invitation(Strict):
    """The secret part of an invitation's link."""

    invitation: str = Field(max_length=100)


@router.post("/login")
def log_in(request: Request, service: Here, given: Invitation) -> Login:
    """A token in place of an invitation, which works once."""
    found = people.accept(service.engine, given.invitation)
    if found is None:
        service.rates.count("unknown", client(request))
        raise Refused(410, NO_INVITATION)
    person, token = found
    return Login(name=person.name, role=person.role, token=token)
