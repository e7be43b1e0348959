"""Routes that all parts share: style sheet, health check, start page and logout."""

from __future__ import annotations

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, RedirectResponse, Response

from hotloop.service.pages import STYLE
from hotloop.service.web import accounts
from hotloop.service.web.answers import RequestRefused
from hotloop.service.web.site import Who, of, own_form, parts_of

NOT_HERE = "There are no pages for this account here."

router = APIRouter(default_response_class=Response, include_in_schema=False)


@router.get("/site.css")
def style() -> Response:
    """Return the style sheet."""
    return FileResponse(STYLE, media_type="text/css", headers={"Cache-Control": "max-age=3600"})


@router.get("/health")
def health(request: Request) -> Response:
    """Health check for monitoring: answers if the service and its database work."""
    accounts.count(of(request).engine)
    return PlainTextResponse("ok\n")


@router.get("/")
def home(request: Request, who: Who) -> Response:
    """Redirect to the pages of the part that this account belongs to."""
    for part in parts_of(request):
        if part.role == who.role:
            return RedirectResponse(part.home, 303)
    raise RequestRefused(403, NOT_HERE)


@router.post("/logout", dependencies=[Depends(own_form)])
def log_out(request: Request, who: Who) -> Response:
    """End the session in the browser and in the database."""
    site = of(request)
    accounts.log_out(site.engine, who)
    for part in parts_of(request):
        part.note(who, "logged out")
    answer = RedirectResponse("/", 303)
    answer.delete_cookie(site.session_cookie, secure=site.settings.secure, httponly=True)
    return answer
