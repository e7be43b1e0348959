"""The application: the interface for clients, and the instructor's pages."""

from __future__ import annotations

import logging
import secrets
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import cast

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from hotloop import __version__
from hotloop.remote.request import MAX_BYTES
from hotloop.remote.service.pages import page
from hotloop.remote.service.routes import board, hand_ins, jobs, login, pages
from hotloop.remote.service.service import Service
from hotloop.web import bodies
from hotloop.web.answers import SENTENCES, LoginNeeded, Refused
from hotloop.web.headers import StrictHeaders
from hotloop.web.settings import FIELD_BYTES, FIELDS, FORM_BYTES
from hotloop.web.site import counted, from_here

log = logging.getLogger("hotloop.remote")

UPLOADS = ("/api/jobs", "/api/hand-ins")


def served(service: Service) -> ASGIApp:
    """What a server is given."""
    limited = bodies.TooLarge(application(service), _too_large)
    return StrictHeaders(limited, secure=service.settings.secure)


def application(service: Service) -> FastAPI:
    """The routes of a service, described by OpenAPI at /openapi.json."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncGenerator[None]:
        yield
        await service.watch.end()

    app = FastAPI(
        title="Hotloop judging service",
        version=__version__,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
        dependencies=[Depends(counted), Depends(from_here)],
        max_body_size=FORM_BYTES,
        form_limits={"max_fields": FIELDS, "max_files": 0, "max_part_size": FIELD_BYTES},
        redirect_slashes=False,
    )
    app.state.site = service
    app.add_middleware(
        bodies.BodyTime,
        settings=service.settings,
        is_upload=UPLOADS.__contains__,
        largest=MAX_BYTES,
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[service.settings.host])
    for part in (
        jobs.router,
        hand_ins.router,
        board.router,
        login.router,
        pages.router,
        pages.for_instructors,
    ):
        app.include_router(part)
    app.add_exception_handler(Refused, _refused)
    app.add_exception_handler(LoginNeeded, _login_needed)
    app.add_exception_handler(RequestValidationError, _not_understood)
    app.add_exception_handler(HTTPException, _http)
    app.add_exception_handler(Exception, _fault)
    return app


NO_SESSION = (
    "Nobody is logged in here. An instructor runs `hotloop login --page` for a link to these "
    "pages; learners need none: `hotloop check` shows them all."
)


def _refusal(
    request: Request, status: int, sentence: str, headers: dict[str, str] | None = None
) -> Response:
    """The answer to a request that is not served: a document for clients, else a page."""
    if request.url.path.startswith("/api/"):
        return JSONResponse({"detail": sentence}, status, headers)
    answer = page("refused.html", status, code=status, sentence=sentence)
    answer.headers.update(headers or {})
    return answer


async def _refused(request: Request, error: Exception) -> Response:
    refused = cast(Refused, error)
    return _refusal(request, refused.status, refused.sentence, refused.headers)


async def _login_needed(request: Request, _error: Exception) -> Response:
    return _refusal(request, 401, NO_SESSION)


async def _not_understood(request: Request, error: Exception) -> Response:
    found = cast(RequestValidationError, error).errors()
    fields = sorted({str(one["loc"][-1])[:60] for one in found})
    return _refusal(request, 422, f"{SENTENCES[422]} Look at: {', '.join(fields)}.")


async def _http(request: Request, error: Exception) -> Response:
    found = cast(HTTPException, error)
    said = SENTENCES.get(found.status_code, "The request cannot be served.")
    return _refusal(request, found.status_code, said, dict(found.headers or {}))


def _too_large(request: Request) -> Response:
    return _refusal(request, 413, SENTENCES[413])


async def _fault(request: Request, error: Exception) -> Response:
    # Never the address: an invitation's is a secret.
    number = secrets.token_hex(4)
    log.error("fault %s in a request", number, exc_info=error)
    return _refusal(request, 500, f"{SENTENCES[500]} ({number})")
