"""The web application: the API for clients, and the instructor's pages."""

from __future__ import annotations

import logging
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import cast

from fastapi import FastAPI
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from hotloop import __version__
from hotloop.learn.remote.request import MAX_BYTES
from hotloop.service.pages import page
from hotloop.service.routes import board, hand_ins, jobs, login, pages
from hotloop.service.service import Service
from hotloop.service.web import bodies, site
from hotloop.service.web.answers import SENTENCES, LoginNeeded
from hotloop.service.web.headers import StrictHeaders

log = logging.getLogger("hotloop.service")

UPLOADS = ("/api/jobs", "/api/hand-ins")


def served(service: Service) -> ASGIApp:
    """Return the ASGI application, with limits on body size and strict headers."""
    limited = bodies.TooLarge(application(service), _too_large)
    return StrictHeaders(limited, secure=service.settings.secure)


def application(service: Service) -> FastAPI:
    """Return the routes of a service; OpenAPI describes them at /openapi.json."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        with _scores(service):
            yield
        await service.watch.end()

    app = site.application(
        service,
        _refusal,
        is_upload=UPLOADS.__contains__,
        largest=MAX_BYTES,
        log=log,
        title="Hotloop judging service",
        version=__version__,
        lifespan=lifespan,
    )
    if service.tool is not None:
        from hotloop.service.routes import lti

        app.state.from_elsewhere = lti.FROM_LMS
        app.include_router(lti.router)
    for part in (
        jobs.router,
        hand_ins.router,
        board.router,
        login.router,
        pages.router,
        pages.for_instructors,
    ):
        app.include_router(part)
    app.add_exception_handler(LoginNeeded, _login_needed)
    app.add_exception_handler(HTTPException, _http)
    return app


@contextmanager
def _scores(service: Service) -> Generator[None]:
    """Send due scores to the LMS while the application runs."""
    if service.tool is None:
        yield
        return
    from hotloop.service.lti.scores import Passing

    passing = Passing(service.engine, service.tool)
    passing.start()
    try:
        yield
    finally:
        passing.stop()


NO_SESSION = (
    "Nobody is logged in here. An instructor runs `hotloop login --page` for a link to these "
    "pages; learners need none: `hotloop check` shows them all."
)


def _refusal(
    request: Request, status: int, sentence: str, headers: dict[str, str] | None = None
) -> Response:
    """Answer a refused request: JSON under /api/, a page elsewhere."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": sentence}, status, headers)
    answer = page("refused.html", status, code=status, sentence=sentence)
    answer.headers.update(headers or {})
    return answer


async def _login_needed(request: Request, _error: Exception) -> Response:
    return _refusal(request, 401, NO_SESSION)


async def _http(request: Request, error: Exception) -> Response:
    found = cast(HTTPException, error)
    said = SENTENCES.get(found.status_code, "The request cannot be served.")
    return _refusal(request, found.status_code, said, dict(found.headers or {}))


def _too_large(request: Request) -> Response:
    return _refusal(request, 413, SENTENCES[413])
