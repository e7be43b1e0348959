"""The state that requests are served with, and checks that apply to all requests."""

from __future__ import annotations

import logging
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Annotated, Any, Generic, TypeVar, cast

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy import Engine
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.requests import Request
from starlette.responses import Response

from hotloop.service.web import accounts, bodies
from hotloop.service.web.accounts import Member
from hotloop.service.web.answers import SENTENCES, LoginNeeded, Refused
from hotloop.service.web.rates import RateLimits, address
from hotloop.service.web.settings import FIELD_BYTES, FIELDS, FORM_BYTES, Settings

CSRF = "csrf"
"""The CSRF field of every form of a logged-in user."""

_SAFE = ("GET", "HEAD", "OPTIONS")


SettingsT = TypeVar("SettingsT", bound=Settings, covariant=True)


@dataclass
class Site(Generic[SettingsT]):
    """State of a portal or a judging service.

    rates: `page` is counted for every request. uploading: who has an upload in progress.
    """

    settings: SettingsT
    engine: Engine
    rates: RateLimits
    uploading: set[str] = field(default_factory=set[str], init=False)

    @property
    def session_cookie(self) -> str:
        """Name of the cookie; the prefix used with HTTPS stops other hosts from setting it."""
        return "__Host-hotloop" if self.settings.secure else "hotloop"

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()


def of(request: Request) -> Site[Settings]:
    """Return the site that serves a request."""
    return cast(Site[Settings], request.app.state.site)


def client(request: Request) -> str:
    """Return the client's key for rate limits."""
    return address(request.client.host if request.client else "unknown")


async def counted(request: Request) -> None:
    """Apply the rate limit on pages. Raises Refused."""
    of(request).rates.count("page", client(request))


async def from_here(request: Request) -> None:
    """Refuse forms that were sent from another site's page.

    Exempt are paths in the application's `from_elsewhere`, which check the sender themselves.
    """
    if request.method in _SAFE or request.url.path in request.app.state.from_elsewhere:
        return
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
        origin is not None and origin != of(request).settings.origin
    ):
        raise Refused(403, SENTENCES[403])


def logged_in(request: Request) -> Member:
    """Return the logged-in member. Raises LoginNeeded if there is none."""
    site = of(request)
    token = request.cookies.get(site.session_cookie, "")
    found = accounts.member(site.engine, token) if token else None
    if found is None:
        raise LoginNeeded
    return found


async def own_form(request: Request, who: Annotated[Member, Depends(logged_in)]) -> None:
    """Require that a form has this session's CSRF token. Raises Refused with status 403."""
    if request.method in _SAFE:
        return
    form = await request.form(max_files=0, max_fields=FIELDS, max_part_size=FIELD_BYTES)
    given = form.get(CSRF)
    if not isinstance(given, str) or not who.wrote(given):
        raise Refused(403, SENTENCES[403])


Who = Annotated[Member, Depends(logged_in)]


Refusal = Callable[[Request, int, str, dict[str, str] | None], Response]
"""Makes the response of a refused request from status, sentence and headers."""


def application(
    site: Site[Any],
    refusal: Refusal,
    *,
    is_upload: Callable[[str], bool],
    largest: int,
    log: logging.Logger,
    **how: Any,
) -> FastAPI:
    """Create an application without routes, with the limits and refusals common to all sites.

    is_upload: whether a path receives uploads. largest: most bytes of an upload. log: for errors.
    how: arguments of FastAPI.
    """
    app = FastAPI(
        docs_url=None,
        redoc_url=None,
        dependencies=[Depends(counted), Depends(from_here)],
        max_body_size=FORM_BYTES,
        form_limits={"max_fields": FIELDS, "max_files": 0, "max_part_size": FIELD_BYTES},
        redirect_slashes=False,
        **how,
    )
    app.state.site = site
    app.state.from_elsewhere = frozenset[str]()
    app.add_middleware(
        bodies.BodyTime, settings=site.settings, is_upload=is_upload, largest=largest
    )
    app.add_middleware(TrustedHostMiddleware, allowed_hosts=[site.settings.host])

    async def refused(request: Request, error: Exception) -> Response:
        why = cast(Refused, error)
        return refusal(request, why.status, why.sentence, why.headers)

    async def not_understood(request: Request, error: Exception) -> Response:
        found = cast(RequestValidationError, error).errors()
        fields = sorted({str(one["loc"][-1])[:60] for one in found})
        return refusal(request, 422, f"{SENTENCES[422]} Look at: {', '.join(fields)}.", None)

    async def fault(request: Request, error: Exception) -> Response:
        # Do not log the URL: a candidate's or an invitation's is a secret.
        number = secrets.token_hex(4)
        log.error("fault %s in a request", number, exc_info=error)
        return refusal(request, 500, f"{SENTENCES[500]} ({number})", None)

    app.add_exception_handler(Refused, refused)
    app.add_exception_handler(RequestValidationError, not_understood)
    app.add_exception_handler(Exception, fault)
    return app
