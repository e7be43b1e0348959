"""The web application: one for a class and for take-homes, made of the parts that are served."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncGenerator, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from typing import cast

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.types import ASGIApp

from hotloop import __version__
from hotloop.service import routes
from hotloop.service.pages import refusal
from hotloop.service.settings import FIELD_BYTES, FIELDS, FORM_BYTES, ServiceSettings
from hotloop.service.web import bodies
from hotloop.service.web.answers import SENTENCES, LoginNeeded, RequestRefused
from hotloop.service.web.headers import StrictHeaders
from hotloop.service.web.site import ServicePart, SiteState, counted, from_here, parts_of

NO_SESSION = (
    "Nobody is logged in here. An instructor runs `hotloop login --page` for a link to these "
    "pages; learners need none: `hotloop check` shows them all."
)
LOGGED_OUT = "You are not logged in any more: log in, and do it again."

log = logging.getLogger("hotloop.service")


def opened(settings: ServiceSettings) -> list[ServicePart]:
    """Open the parts that the settings name; they share a database.

    Raises DatabaseUnavailable, CurriculumError, PermissionError, or UserError if the named course
    does not exist.
    """
    site = SiteState.open(settings)
    parts: list[ServicePart] = []
    # Imported here, as each part needs packages of its own.
    if "course" in settings.parts:
        from hotloop.service.course.service import Service

        parts.append(Service.open(settings, site))
    if "takehome" in settings.parts:
        from hotloop.service.takehome.portal import Portal

        parts.append(Portal.open(settings, site))
    return parts


def served(*parts: ServicePart) -> ASGIApp:
    """Return the ASGI application, with limits on body size and strict headers."""
    app = application(*parts)

    def too_large(request: Request) -> Response:
        return refusal(request, 413, _sentence(request, 413))

    return StrictHeaders(bodies.TooLarge(app, too_large), secure=parts[0].site.settings.secure)


def application(*parts: ServicePart) -> FastAPI:
    """Return the routes of the parts; OpenAPI describes a class's API at /openapi.json."""

    site = parts[0].site

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        async with AsyncExitStack() as running:
            for part in parts:
                await running.enter_async_context(part.running())
            yield

    app = FastAPI(
        title="Hotloop",
        version=__version__,
        openapi_url="/openapi.json" if "course" in site.settings.parts else None,
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(counted), Depends(from_here)],
        max_body_size=FORM_BYTES,
        form_limits={"max_fields": FIELDS, "max_files": 0, "max_part_size": FIELD_BYTES},
        redirect_slashes=False,
        lifespan=lifespan,
    )
    app.state.site = site
    app.state.parts = {type(part): part for part in parts}
    app.state.from_elsewhere = frozenset[str]().union(*(part.from_elsewhere for part in parts))
    app.add_middleware(
        bodies.BodyTime,
        settings=site.settings,
        is_upload=lambda path: _upload(app, path) is not None,
        largest=max(part.largest for part in parts),
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[site.settings.host])
    for router in (routes.router, *(router for part in parts for router in part.routers())):
        app.include_router(router)
    app.add_exception_handler(RequestRefused, _refused)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(LoginNeeded, _login_needed)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _fault)
    for part in parts:
        for kind, handler in part.faults.items():
            app.add_exception_handler(kind, handler)
    return app


async def _refused(request: Request, error: Exception) -> Response:
    why = cast(RequestRefused, error)
    return refusal(request, why.status, why.sentence, why.headers)


async def _not_understood(request: Request, error: Exception) -> Response:
    errors = cast(RequestValidationError, error).errors()
    fields = sorted({str(one["loc"][-1])[:60] for one in errors})
    return refusal(request, 422, f"{SENTENCES[422]} Look at: {', '.join(fields)}.")


async def _login_needed(request: Request, _error: Exception) -> Response:
    login = next((part.login for part in parts_of(request) if part.login), "")
    if not login:
        return refusal(request, 401, NO_SESSION)
    if request.method == "GET":
        return RedirectResponse(login, 303)
    return refusal(request, 401, LOGGED_OUT)


async def _http(request: Request, error: Exception) -> Response:
    answer = cast(HTTPException, error)
    sentence = _sentence(request, answer.status_code)
    return refusal(request, answer.status_code, sentence, dict(answer.headers or {}))


async def _fault(request: Request, error: Exception) -> Response:
    # Do not log the URL: a candidate's or an invitation's is a secret.
    number = secrets.token_hex(4)
    log.error("fault %s in a request", number, exc_info=error)
    return refusal(request, 500, f"{SENTENCES[500]} ({number})")


def _sentence(request: Request, status: int) -> str:
    """Return what a status means, for an upload in the words of its part."""
    of_upload = _upload(request.app, request.url.path) or {}
    return of_upload.get(status) or SENTENCES.get(status, "The request cannot be served.")


def _upload(app: FastAPI, path: str) -> Mapping[int, str] | None:
    """Return the sentences on refused uploads to a path; None if it receives none."""
    for part in app.state.parts.values():
        if (sentences := part.upload(path)) is not None:
            return sentences
    return None
