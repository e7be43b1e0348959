"""The portal's ASGI application: pages, headers, limits and refusals."""

import asyncio
import logging
import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, suppress
from typing import cast

from fastapi import FastAPI
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from hotloop.learn.pack import limits
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.service.web import bodies, site
from hotloop.service.web.answers import SENTENCES, LoginNeeded
from hotloop.service.web.headers import StrictHeaders
from hotloop.takehome.portal import links
from hotloop.takehome.portal.answers import DAMAGED, NO_CANDIDATE, OVER
from hotloop.takehome.portal.pages import refusal
from hotloop.takehome.portal.portal import Portal
from hotloop.takehome.portal.routes import candidate, candidates, login, results, team
from hotloop.takehome.team import TeamError, UnknownPack

_UPLOAD = re.compile(r"/c/[^/]{1,100}/submission")

TOO_SLOW = (
    "The upload was too slow, or stalled, and was not taken. What you handed in before is "
    "kept. Hand in the file again, on a faster connection if you can."
)
TOO_LARGE = (
    f"The file is larger than {limits.MAX_UPLOAD >> 20} MiB, and was not read: hand in the one "
    "that `hotloop takehome submit` wrote."
)

log = logging.getLogger("hotloop.takehome")


def served(portal: Portal) -> ASGIApp:
    """Return the application with all middleware, for the server."""
    return StrictHeaders(
        bodies.TooLarge(application(portal), _too_large), secure=portal.settings.secure
    )


def application(portal: Portal) -> FastAPI:
    """Return the portal's routes as a FastAPI application; its OpenAPI document is not served."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        tidying = asyncio.create_task(keep_tidy(portal))
        yield
        tidying.cancel()
        with suppress(asyncio.CancelledError):
            await tidying
        portal.close()

    app = site.application(
        portal,
        refusal,
        is_upload=_is_upload,
        largest=limits.MAX_UPLOAD,
        log=log,
        title="Hotloop take-home portal",
        openapi_url=None,
        default_response_class=Response,
        lifespan=lifespan,
    )
    for part in (login, candidates, results, team, candidate):
        app.include_router(part.router)
    app.add_exception_handler(LoginNeeded, _login_needed)
    app.add_exception_handler(TeamError, _folder_fault)
    app.add_exception_handler(ForgedManifest, _folder_fault)
    app.add_exception_handler(HTTPException, _http)
    return app


async def _folder_fault(request: Request, error: Exception) -> Response:
    """Respond to missing packs and to faults in the team's folder.

    A team member reads what is damaged; a candidate sees no path of the team.
    """
    of_candidate = request.url.path.startswith("/c/")
    if isinstance(error, UnknownPack):
        status = 410 if of_candidate else 404
        return refusal(request, status, OVER if of_candidate else NO_CANDIDATE)
    log.error("%s", error)
    if of_candidate:
        return refusal(request, 503, DAMAGED)
    return refusal(request, 409, str(error))


async def _login_needed(request: Request, _error: Exception) -> Response:
    if request.method == "GET":
        return RedirectResponse("/login", 303)
    return refusal(request, 401, "You are not logged in any more: log in, and do it again.")


async def _http(request: Request, error: Exception) -> Response:
    found = cast(HTTPException, error)
    said = SENTENCES.get(found.status_code, "The request cannot be served.")
    if found.status_code == 413:
        return _too_large(request)
    if found.status_code == 408 and _is_upload(request.url.path):
        said = TOO_SLOW
    return refusal(request, found.status_code, said, dict(found.headers or {}))


def _too_large(request: Request) -> Response:
    said = TOO_LARGE if _is_upload(request.url.path) else SENTENCES[413]
    return refusal(request, 413, said)


def _is_upload(path: str) -> bool:
    """True for the path that receives candidates' submissions."""
    return _UPLOAD.fullmatch(path) is not None


EACH_S = 30.0


async def keep_tidy(portal: Portal) -> None:
    """Run `tidy` at once and then every EACH_S seconds, until cancelled."""
    while True:
        await asyncio.to_thread(tidy, portal)
        await asyncio.sleep(EACH_S)


def tidy(portal: Portal) -> None:
    """Delete links and queue entries of packs that are gone.

    If a record is damaged, nothing is deleted, since the remaining packs are unknown.
    """
    try:
        # Read the database first, so that packs added in the meantime are not deleted.
        known = links.packs(portal.engine) | {pack for pack, _ in portal.queue.all()}
        here = {record.pack for record in portal.team.packs()}
        for pack in known - here:
            links.end(portal.engine, pack)
            portal.queue.forget(pack)
    except (TeamError, SQLAlchemyError, OSError) as error:
        log.error("%s", error)
