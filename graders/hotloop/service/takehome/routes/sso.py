"""Login of a team's members at their company's provider."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from itsdangerous import BadSignature, URLSafeTimedSerializer
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hotloop.service.pages import page
from hotloop.service.takehome.portal import Here, Portal
from hotloop.service.takehome.sso import Begun, NotLoggedIn, Sso
from hotloop.service.web import secret
from hotloop.service.web.site import begin_session, client, set_cookie

BACK = "/login/sso/back"
BEGUN_S = 600
"""Seconds that a login may take."""

router = APIRouter(default_response_class=Response, include_in_schema=False)

Short = Annotated[str, Query(max_length=4000)]


@router.get("/login/sso")
def begin(request: Request, portal: Here) -> Response:
    """Send the browser to the provider."""
    portal.rates.count("login", client(request))
    try:
        url, begun = _sso(portal).begin(portal.settings.origin + BACK)
    except NotLoggedIn as error:
        return _refused(portal, str(error), 503)
    answer = RedirectResponse(url, 303)
    set_cookie(portal.site, answer, _cookie(portal), _signer(portal).dumps(asdict(begun)))
    return answer


@router.get(BACK)
def back(request: Request, portal: Here, code: Short = "", state: Short = "") -> Response:
    """Take the provider's answer, and begin a session."""
    portal.rates.count("login", client(request))
    try:
        kept = request.cookies.get(_cookie(portal), "")
        begun = Begun(**_signer(portal).loads(kept, max_age=BEGUN_S))
        claims = _sso(portal).finish(begun, state, code, portal.settings.origin + BACK)
        account, name = _sso(portal).account(portal.engine, claims)
    except BadSignature:
        return _refused(portal, "This login was begun elsewhere, or took too long.")
    except NotLoggedIn as error:
        return _refused(portal, str(error))
    portal.team.audit(name, "logged in by single sign-on")
    answer = begin_session(portal.site, request, account, portal.home)
    answer.delete_cookie(_cookie(portal), secure=portal.settings.secure, httponly=True)
    return answer


def _refused(portal: Portal, sentence: str, status: int = 401) -> Response:
    portal.team.audit("somebody", f"was not let in: {sentence}")
    return page("sso.html", status, name=_sso(portal).settings.name, problem=sentence)


def _sso(portal: Portal) -> Sso:
    """Return the single sign-on; these pages are served only where there is one."""
    assert portal.sso is not None
    return portal.sso


def _signer(portal: Portal) -> URLSafeTimedSerializer:
    return URLSafeTimedSerializer(secret.derive(portal.secret, "sso"), salt="sso")


def _cookie(portal: Portal) -> str:
    return "__Host-hotloop-sso" if portal.settings.secure else "hotloop-sso"
