"""Routes for an LMS and for the browsers that it sends."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Depends, Form, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, RedirectResponse, Response

from hotloop.service.course import people
from hotloop.service.course.lti import sending
from hotloop.service.course.lti.tool import LOGIN_STAY, LtiLaunch, LtiLogin, NotLaunched, Tool
from hotloop.service.course.service import Here, Service
from hotloop.service.pages import page
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.secret import digest
from hotloop.service.web.site import begin_session, unknown
from hotloop.tasks import curriculum

LAUNCH = "/lti/launch"
LINK_STAY = timedelta(hours=1)

router = APIRouter(prefix="/lti", default_response_class=Response, include_in_schema=False)


def tool_of(service: Here) -> Tool:
    """Return the service's LTI tool."""
    assert service.tool is not None, "without a tool there are no such routes"
    return service.tool


AsTool = Annotated[Tool, Depends(tool_of)]


@router.get("/jwks")
def jwks(tool: AsTool) -> Response:
    """Return this service's public key."""
    return JSONResponse(tool.jwks())


@router.get("/login")
def login(
    request: Request, service: Here, tool: AsTool, parameters: Annotated[LtiLogin, Query()]
) -> Response:
    """Begin a login: redirect a browser that the LMS sent back to the LMS, to log in."""
    return _begun(request, service, tool, parameters)


@router.post("/login")
def login_by_form(
    request: Request, service: Here, tool: AsTool, parameters: Annotated[LtiLogin, Form()]
) -> Response:
    """As `login`, for a form."""
    return _begun(request, service, tool, parameters)


@router.post("/launch")
def launch(
    request: Request,
    service: Here,
    tool: AsTool,
    state: Annotated[str, Form(max_length=100)],
    id_token: Annotated[str, Form()] = "",
) -> Response:
    """Finish a login: show an instructor the pages, and a learner the commands to type."""
    cookie = _cookie(service, state)
    try:
        launched = tool.launch(service.engine, state, request.cookies.get(cookie, ""), id_token)
    except NotLaunched as error:
        raise _refused(request, error) from None
    _require_known(launched)
    who = people.from_lms(service.engine, launched.person, launched.role)
    if who.role == "instructor":
        answer = begin_session(service.site, request, who.account, service.home)
    else:
        if launched.lineitem and launched.module:
            sending.keep(service.engine, who.account, launched)
        link = service.link(people.invitation(service.engine, who.account, LINK_STAY))
        answer = page(
            "launched.html",
            person=who,
            title=launched.person.title,
            link=link,
            module=launched.module,
            is_graded=bool(launched.lineitem),
        )
    answer.delete_cookie(cookie, secure=service.settings.secure, httponly=True)
    return answer


def _begun(request: Request, service: Service, tool: Tool, parameters: LtiLogin) -> Response:
    back = f"{service.settings.origin}{LAUNCH}"
    try:
        url, state = tool.login(service.engine, parameters, back)
    except NotLaunched as error:
        raise _refused(request, error) from None
    answer = RedirectResponse(url, 302)
    answer.set_cookie(
        _cookie(service, state),
        state,
        max_age=int(LOGIN_STAY.total_seconds()),
        secure=service.settings.secure,
        httponly=True,
        # The cookie must be sent with a form of the LMS's page; browsers allow that over HTTPS
        # only.
        samesite="none" if service.settings.secure else "lax",
    )
    return answer


def _cookie(service: Service, state: str) -> str:
    """Return the cookie's name: each login has its own, as a user may open two links at once."""
    return f"{service.site.session_cookie}-lti-{digest(state)[:16]}"


def _refused(request: Request, error: NotLaunched) -> RequestRefused:
    return unknown(request, 403, f"{error} Open the link on the page of your course again.")


def _require_known(launched: LtiLaunch) -> None:
    """Raise Refused if a link names an unknown module, so that the link's author notices."""
    try:
        if launched.module:
            curriculum.load_module(launched.module)
    except KeyError:
        raise RequestRefused(
            422, f"This link names {launched.module[:60]!r}: no such module."
        ) from None
