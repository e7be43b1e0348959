"""The interfaces for an ATS: Greenhouse's assessment routes, an API of our own, its description."""

import hmac
import json
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Query, Security
from fastapi.openapi.utils import get_openapi
from fastapi.security import (
    HTTPAuthorizationCredentials,
    HTTPBasic,
    HTTPBasicCredentials,
    HTTPBearer,
)
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from hotloop import __version__
from hotloop.core.yaml_lines import CurriculumError
from hotloop.learn.pack.keys import KeyMissing
from hotloop.learn.pack.manifest import RoleId
from hotloop.service.pages import page
from hotloop.service.takehome import links
from hotloop.service.takehome.ats import candidates, events, mail
from hotloop.service.takehome.ats.candidates import AtsCandidate
from hotloop.service.takehome.ats.settings import AtsSettings
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.takehome.portal import FOR_MEMBERS, Here, Portal
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.site import pages_for, unknown
from hotloop.takehome import forgetting
from hotloop.takehome.instructions import duration_of
from hotloop.takehome.team import TeamError, UnknownPack

NO_KEY = "The key is missing or not right."
NO_WAY = "Nobody would send the link: ats.yaml has neither mail nor a webhook. Nothing was made."

router = APIRouter(prefix="/api/takehome/v1", tags=["candidates"])
greenhouse = APIRouter(prefix="/api/greenhouse", tags=["Greenhouse"])
pages = APIRouter(include_in_schema=False, default_response_class=Response)
members = pages_for(MEMBER, FOR_MEMBERS)

_bearer = HTTPBearer(auto_error=False, description="`api_key` of ats.yaml")
_basic = HTTPBasic(auto_error=False, description="`greenhouse.key` of ats.yaml as user name")


def settings_of(portal: Portal) -> AtsSettings:
    """Return the settings; the routes are served only where there are some."""
    return portal.ats or AtsSettings()


def _require(request: Request, given: str, wanted: str | None) -> None:
    if wanted is None or not hmac.compare_digest(given.encode(), wanted.encode()):
        raise unknown(request, 401, NO_KEY)


def has_key(
    request: Request,
    portal: Here,
    given: Annotated[HTTPAuthorizationCredentials | None, Security(_bearer)],
) -> None:
    """Require the key of the portal's own API. Raises RequestRefused with status 401."""
    _require(request, given.credentials if given else "", settings_of(portal).api_key)


def is_greenhouse(
    request: Request,
    portal: Here,
    given: Annotated[HTTPBasicCredentials | None, Security(_basic)],
) -> None:
    """Require Greenhouse's key. Raises RequestRefused with status 401."""
    own = settings_of(portal).greenhouse
    _require(request, given.username if given else "", own.key if own else None)


# --- the portal's own API -------------------------------------------------------------------------


class Role(BaseModel):
    """A role for which candidates can be invited. duration: in words, as candidates read it."""

    id: str
    title: str
    duration: str


class Invitation(BaseModel):
    """A candidate to invite. external_id: of the application in the ATS.

    The same one again, for the same role, is the same candidate. accommodation: factor on the
    candidate's time.
    """

    role: RoleId
    name: Annotated[str, Field(min_length=1, max_length=200)]
    external_id: Annotated[str, Field(min_length=1, max_length=500)]
    accommodation: Annotated[float, Field(ge=1, le=10)] | None = None


class Invited(BaseModel):
    """A candidate with the link to send."""

    id: str
    external_id: str
    role: str
    link: str
    expires: datetime


class Result(BaseModel):
    """What the team found. The score is out of 100; both bounds differ while points are open."""

    pseudonym: str
    score_low: float
    score_high: float
    decisions: list[Literal["advance", "hold", "decline"]]


class Candidate(BaseModel):
    """A candidate. result: null until as many scorecards are filed as the role wants."""

    id: str
    external_id: str
    role: str
    status: Literal["invited", "started", "expired", "submitted", "graded", "reviewed"]
    result: Result | None
    page: str


class Refusal(BaseModel):
    """Why a request was refused, in one sentence."""

    detail: str


_REFUSED: dict[int | str, dict[str, Any]] = {
    401: {"model": Refusal, "description": "No key, or a wrong one"},
    404: {"model": Refusal, "description": "No such candidate or role, or all was deleted"},
    422: {"model": Refusal, "description": "Something in the request is not as it must be"},
}
Keyed = Depends(has_key)


@router.get("/roles", dependencies=[Keyed], responses=_REFUSED)
def roles(portal: Here) -> list[Role]:
    """List the team's roles."""
    return [
        Role(id=one.role, title=one.title, duration=duration_of(one.pack_tasks(1).values()))
        for one in portal.team.roles()
    ]


@router.post("/candidates", status_code=201, dependencies=[Keyed], responses=_REFUSED)
def invite(portal: Here, given: Invitation, response: Response) -> Invited:
    """Make a pack and a link for a candidate. 200 instead of 201 if they were invited before."""
    one, is_new = _invited(
        portal, given.role, given.name, given.external_id, "ats", accommodation=given.accommodation
    )
    response.status_code = 201 if is_new else 200
    record = portal.team.pack(one.pack)
    until = record.until(portal.team.manifest(one.pack))
    link = candidates.link(portal, one.pack)
    return Invited(id=one.id, external_id=one.external, role=record.role, link=link, expires=until)


@router.get("/candidates/{name}", dependencies=[Keyed], responses=_REFUSED)
def look(portal: Here, name: str) -> Candidate:
    """Say how far a candidate is; with the result, once the scorecards are filed."""
    one = _known(portal, name)
    state = candidates.state(portal, one.pack)
    found = candidates.result(portal, state)
    return Candidate.model_validate(
        {
            "id": one.id,
            "external_id": one.external,
            "role": state.record.role,
            "status": candidates.STATUS[state.state],
            "result": None if found is None else vars(found),
            "page": candidates.page(portal, one),
        }
    )


@router.delete("/candidates/{name}", status_code=204, dependencies=[Keyed], responses=_REFUSED)
def delete(portal: Here, name: str) -> None:
    """Delete all data of a candidate, for good."""
    one = _known(portal, name)
    links.end(portal.engine, one.pack)
    portal.queue.forget(one.pack)
    forgetting.forget(portal.team, one.pack, "ats")
    links.end_for_ats(portal.engine, one.pack)


# --- Greenhouse -----------------------------------------------------------------------------------


class PartnerTest(BaseModel):
    """A role, as Greenhouse calls it."""

    partner_test_id: str
    partner_test_name: str


class Person(BaseModel):
    """Whom to send the test; of what Greenhouse sends, what is needed."""

    first_name: Annotated[str, Field(max_length=100)]
    last_name: Annotated[str, Field(max_length=100)]
    email: Annotated[str, Field(min_length=3, max_length=254)]
    greenhouse_profile_url: Annotated[str, Field(min_length=1, max_length=1000)]


class SendTest(BaseModel):
    """A test to send. url: where to say that the result is there."""

    partner_test_id: RoleId
    candidate: Person
    url: Annotated[str, Field(max_length=1000)] = ""


class Sent(BaseModel):
    """A candidate's test."""

    partner_interview_id: str


class TestStatus(BaseModel):
    """How far a test is. partner_score: the points that are certain, out of 100."""

    partner_status: str
    partner_profile_url: str | None = None
    partner_score: float | None = None
    metadata: dict[str, str] = Field(default_factory=dict[str, str])


class ResponseError(BaseModel):
    """What Greenhouse did not understand."""

    api_call: Annotated[str, Field(max_length=60)]
    errors: Annotated[list[str], Field(max_length=100)]


@greenhouse.get("/list_tests", dependencies=[Depends(is_greenhouse)], responses=_REFUSED)
def list_tests(portal: Here) -> list[PartnerTest]:
    """List the roles."""
    return [
        PartnerTest(partner_test_id=one.role, partner_test_name=one.title)
        for one in portal.team.roles()
    ]


@greenhouse.post("/send_test", dependencies=[Depends(is_greenhouse)], responses=_REFUSED)
def send_test(portal: Here, given: SendTest) -> Sent:
    """Make a pack and a link, and have it sent to the candidate.

    By mail, if ats.yaml has a server; else an event asks the webhook's receiver to send it. If the
    mail cannot be sent, nothing is kept, and Greenhouse can send the test again.
    """
    from hotloop.service.takehome.ats.sending import is_allowed

    own = settings_of(portal)
    if own.mail is None and own.webhook is None:
        raise RequestRefused(503, NO_WAY)
    if given.url and (own.greenhouse is None or not is_allowed(own.greenhouse, given.url)):
        raise RequestRefused(422, "`url` is not an https:// address of Greenhouse.")
    person = given.candidate
    name = f"{person.first_name} {person.last_name}".strip()
    one, is_new = _invited(
        portal,
        given.partner_test_id,
        name,
        person.greenhouse_profile_url,
        "greenhouse",
        callback=given.url,
    )
    if is_new:
        _tell(portal, own, one, given)
    return Sent(partner_interview_id=one.id)


def _tell(portal: Portal, own: AtsSettings, one: AtsCandidate, given: SendTest) -> None:
    """Have the link sent; if that fails, keep nothing. Raises RequestRefused."""
    email = given.candidate.email
    if own.mail is None:
        events.queue(
            portal, events.invited(portal, one, given.partner_test_id, email), events.WEBHOOK
        )
        return
    try:
        role = portal.team.role(given.partner_test_id)
        mail.send(own.mail, role, email, candidates.link(portal, one.pack))
    except mail.NotSent as error:
        links.end(portal.engine, one.pack)
        forgetting.forget(portal.team, one.pack, "greenhouse")
        links.end_for_ats(portal.engine, one.pack)
        raise RequestRefused(503, f"{error} Nothing was kept: send the test again.") from None


@greenhouse.get(
    "/test_status",
    dependencies=[Depends(is_greenhouse)],
    responses=_REFUSED,
    response_model_exclude_none=True,
)
def test_status(
    portal: Here, partner_interview_id: Annotated[str, Query(max_length=200)]
) -> TestStatus:
    """Say how far a test is: `complete` once the scorecards are filed."""
    one = _known(portal, partner_interview_id)
    state = candidates.state(portal, one.pack)
    found = candidates.result(portal, state)
    if found is None:
        return TestStatus(partner_status=candidates.STATUS[state.state])
    said = f"{found.score_low:g}"
    if found.score_high != found.score_low:
        said = f"{said} to {found.score_high:g}"
    return TestStatus(
        partner_status="complete",
        partner_profile_url=candidates.page(portal, one),
        partner_score=found.score_low,
        metadata={
            "Candidate in the portal": found.pseudonym,
            "Score of 100": said,
            "Decisions": ", ".join(found.decisions),
        },
    )


@greenhouse.post("/response_error", dependencies=[Depends(is_greenhouse)], responses=_REFUSED)
def response_error(portal: Here, given: ResponseError) -> dict[str, int]:
    """Note in the audit log what Greenhouse did not understand."""
    said = "; ".join(given.errors)
    portal.team.audit("greenhouse", f"did not understand {given.api_call}: {said}"[:400])
    return {"status": 200}


# --- descriptions, and the way to a candidate -----------------------------------------------------


class Event(BaseModel):
    """What is sent to the webhook, with the headers of Standard Webhooks.

    data: `candidate` (the id in this API), `external_id` and `role`; of `candidate.reviewed` also
    the result and the candidate's page.
    """

    type: Literal[
        "candidate.invited",
        "candidate.link",
        "candidate.started",
        "candidate.submitted",
        "candidate.graded",
        "candidate.reviewed",
        "candidate.deleted",
    ]
    timestamp: datetime
    data: dict[str, Any]


_events = APIRouter()


@_events.post("event", status_code=204)
def _event(body: Event) -> None:
    """Any answer of 2xx takes the event; without one it is sent again, for some three days."""


@cache
def description() -> dict[str, Any]:
    """Return the OpenAPI description of all routes for an ATS."""
    return get_openapi(
        title="Hotloop take-homes",
        version=__version__,
        routes=[*router.routes, *greenhouse.routes],
        webhooks=_events.routes,
    )


@pages.get("/api/takehome/openapi.json")
def openapi() -> Response:
    """Return the description as JSON."""
    return JSONResponse(description())


@pages.get("/api/takehome")
def described() -> Response:
    """Show the description as a page, without scripts."""
    document = description()
    operations = [
        {"method": method.upper(), "path": path, **operation}
        for path, methods in document["paths"].items()
        for method, operation in methods.items()
    ]
    schemas = {
        name: json.dumps(schema, indent=1)
        for name, schema in sorted(document["components"]["schemas"].items())
    }
    return page("api.html", document=document, operations=operations, schemas=schemas)


@members.get("/ats/{name}", include_in_schema=False)
def open_candidate(portal: Here, name: str) -> Response:
    """Lead from the ATS to the candidate's page, once the scorecards are filed.

    Earlier it would say whose work a pseudonym's is.
    """
    one = _known(portal, name)
    if candidates.result(portal, candidates.state(portal, one.pack)) is None:
        raise RequestRefused(
            409, "The scorecards are not filed yet: until then the ATS does not lead to the work."
        )
    return RedirectResponse(f"/candidates/{one.pack}", 303)


def _known(portal: Portal, name: str) -> AtsCandidate:
    one = candidates.find(portal, name)
    if one is not None:
        try:
            portal.team.pack(one.pack)
        except UnknownPack:
            one = None
    if one is None:
        raise RequestRefused(404, "There is no such candidate, or all about them was deleted.")
    return one


def _invited(
    portal: Portal,
    role: str,
    name: str,
    external: str,
    who: str,
    *,
    callback: str = "",
    accommodation: float | None = None,
) -> tuple[AtsCandidate, bool]:
    try:
        return candidates.invite(
            portal, role, name, external, who, callback=callback, accommodation=accommodation
        )
    except (TeamError, CurriculumError, KeyMissing) as error:
        raise RequestRefused(422, str(error)) from None
