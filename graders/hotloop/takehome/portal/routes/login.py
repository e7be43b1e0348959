"""Login and logout."""

import hmac
import secrets
from typing import Annotated

from fastapi import APIRouter, Depends, Form
from itsdangerous import BadSignature
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response

from hotloop.service.web import accounts
from hotloop.service.web.answers import SENTENCES, LoginNeeded, Refused
from hotloop.service.web.pages import STYLE
from hotloop.service.web.site import Who, logged_in, own_form
from hotloop.takehome.portal import passwords
from hotloop.takehome.portal.pages import page
from hotloop.takehome.portal.portal import Here, Portal, count_guess, guessed_right

FORM_S = 3600
"""Seconds for which a login form is valid."""

router = APIRouter()

Name = Annotated[str, Form(max_length=100)]
Password = Annotated[str, Form(max_length=2000)]
Token = Annotated[str, Form(max_length=500)]


@router.get("/portal.css")
def style() -> Response:
    """Send the style sheet."""
    return FileResponse(STYLE, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


@router.get("/health")
def health(portal: Here) -> Response:
    """Health check: reads from the database."""
    accounts.count(portal.engine)
    return PlainTextResponse("ok\n")


@router.get("/login")
def form(request: Request, portal: Here) -> Response:
    """Show the login form, or redirect a logged-in member."""
    try:
        logged_in(request)
    except LoginNeeded:
        return _form(portal)
    return RedirectResponse("/candidates", 303)


@router.post("/login")
def log_in(
    request: Request, portal: Here, name: Name = "", password: Password = "", token: Token = ""
) -> Response:
    """Check the password and start a new session in place of the browser's old one."""
    _require_own(request, portal, token)
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
    had = request.cookies.get(portal.session_cookie, "")
    session = accounts.log_in(portal.engine, account, replaces=had)
    portal.team.audit(name, "logged in")
    answer = RedirectResponse("/candidates", 303)
    _set(answer, portal, portal.session_cookie, session)
    answer.delete_cookie(portal.form_cookie, secure=portal.settings.secure, httponly=True)
    return answer


@router.post("/logout", dependencies=[Depends(own_form)])
def log_out(portal: Here, who: Who) -> Response:
    """End the session in the browser and in the database."""
    accounts.log_out(portal.engine, who)
    portal.team.audit(who.name, "logged out")
    answer = RedirectResponse("/login", 303)
    answer.delete_cookie(portal.session_cookie, secure=portal.settings.secure, httponly=True)
    return answer


def _form(portal: Portal, problem: str = "", status: int = 200) -> Response:
    nonce = secrets.token_urlsafe(16)
    answer = page("login.html", status, token=portal.strangers.dumps(nonce), problem=problem)
    _set(answer, portal, portal.form_cookie, nonce)
    return answer


def _require_own(request: Request, portal: Portal, token: str) -> None:
    """Require a form issued to this browser, which prevents login CSRF. Raises Refused."""
    nonce = request.cookies.get(portal.form_cookie, "")
    try:
        signed = str(portal.strangers.loads(token, max_age=FORM_S))
    except BadSignature:
        raise Refused(403, SENTENCES[403]) from None
    if not nonce or not hmac.compare_digest(signed.encode(), nonce.encode()):
        raise Refused(403, SENTENCES[403])


def _set(answer: Response, portal: Portal, name: str, value: str) -> None:
    # Lax, not strict: a member who follows a link from a mail stays logged in. Changes need the
    # form's
    # token as well.
    answer.set_cookie(name, value, secure=portal.settings.secure, httponly=True, samesite="lax")
