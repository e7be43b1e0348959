"""Login of a team's members."""

import hmac
import secrets
from typing import Annotated

from fastapi import APIRouter, Form
from itsdangerous import BadSignature
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hotloop.service.pages import page
from hotloop.service.takehome import passwords
from hotloop.service.takehome.portal import Here, Portal, count_guess, guessed_right
from hotloop.service.web import accounts
from hotloop.service.web.answers import SENTENCES, LoginNeeded, RequestRefused
from hotloop.service.web.site import begin_session, logged_in, set_cookie

FORM_S = 3600
"""Seconds for which a login form is valid."""

router = APIRouter(default_response_class=Response)

Name = Annotated[str, Form(max_length=100)]
Password = Annotated[str, Form(max_length=2000)]
Token = Annotated[str, Form(max_length=500)]


@router.get("/login")
def form(request: Request, portal: Here) -> Response:
    """Show the login form, or redirect a logged-in member."""
    try:
        logged_in(request)
    except LoginNeeded:
        return _form(portal)
    return RedirectResponse(portal.home, 303)


@router.post("/login")
def log_in(
    request: Request, portal: Here, name: Name = "", password: Password = "", token: Token = ""
) -> Response:
    """Check the password and start a new session in place of the browser's old one."""
    _require_own(request, portal, token)
    if portal.sso is not None and not portal.sso.settings.passwords:
        raise RequestRefused(403, f"Here one logs in with {portal.sso.settings.name} only.")
    name = name.strip()
    count_guess(request, name)
    account = passwords.check(portal.engine, name, password)
    if account is None:
        # Do not log unknown names: they may be a candidate's name, or a password in the wrong
        # field.
        known = name if accounts.find(portal.engine, name) else "somebody"
        portal.team.audit(known, "was not let in")
        return _form(portal, "Name or password is not right.", 401)
    guessed_right(request, name)
    portal.team.audit(name, "logged in")
    answer = begin_session(portal.site, request, account, portal.home)
    answer.delete_cookie(portal.form_cookie, secure=portal.settings.secure, httponly=True)
    return answer


def _form(portal: Portal, problem: str = "", status: int = 200) -> Response:
    nonce = secrets.token_urlsafe(16)
    answer = page(
        "login.html",
        status,
        token=portal.strangers.dumps(nonce),
        problem=problem,
        sso=portal.sso.settings if portal.sso else None,
    )
    set_cookie(portal.site, answer, portal.form_cookie, nonce)
    return answer


def _require_own(request: Request, portal: Portal, token: str) -> None:
    """Require a form issued to this browser, which prevents login CSRF. Raises Refused."""
    nonce = request.cookies.get(portal.form_cookie, "")
    try:
        signed = str(portal.strangers.loads(token, max_age=FORM_S))
    except BadSignature:
        raise RequestRefused(403, SENTENCES[403]) from None
    if not nonce or not hmac.compare_digest(signed.encode(), nonce.encode()):
        raise RequestRefused(403, SENTENCES[403])
