"""The state that requests are served with, and checks that apply to all requests."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, TypeVar, cast

from fastapi import APIRouter, Depends
from sqlalchemy import Engine
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from hotloop.service.settings import FIELD_BYTES, FIELDS, ServiceSettings
from hotloop.service.tables import opened
from hotloop.service.web import accounts
from hotloop.service.web.accounts import Member
from hotloop.service.web.answers import SENTENCES, LoginNeeded, RequestRefused
from hotloop.service.web.rates import RateLimits, address

CSRF = "csrf"
"""The CSRF field of every form of a logged-in user."""

_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass
class SiteState:
    """What all parts of the service share.

    rates: `page` is counted for every request. uploading: who has an upload in progress.
    """

    settings: ServiceSettings
    engine: Engine
    rates: RateLimits
    uploading: set[str] = field(default_factory=set[str], init=False)

    @classmethod
    def open(cls, settings: ServiceSettings) -> SiteState:
        """Open the database. Raises DatabaseUnavailable."""
        return cls(settings, opened(settings.data, settings.database), RateLimits(settings.rates))

    @property
    def session_cookie(self) -> str:
        """Name of the cookie; the prefix used with HTTPS stops other hosts from setting it."""
        return "__Host-hotloop" if self.settings.secure else "hotloop"


@dataclass
class ServicePart:
    """A part of the service: judging for a class, or take-homes of a team.

    role: of the accounts that its pages are for. home: their first page. login: the page on which
    they log in; "" if they come by a link. largest: most bytes of an upload. faults: handlers of
    its own exceptions.
    """

    role: ClassVar[str]
    home: ClassVar[str]
    largest: ClassVar[int]
    login: ClassVar[str] = ""
    faults: ClassVar[
        Mapping[type[Exception], Callable[[Request, Exception], Awaitable[Response]]]
    ] = MappingProxyType({})

    site: SiteState

    @property
    def settings(self) -> ServiceSettings:
        """The service's settings."""
        return self.site.settings

    @property
    def engine(self) -> Engine:
        """The service's database."""
        return self.site.engine

    @property
    def rates(self) -> RateLimits:
        """The service's rate limits."""
        return self.site.rates

    @property
    def from_elsewhere(self) -> Collection[str]:
        """Paths to which pages of other sites may post; they check the sender themselves."""
        return ()

    def routers(self) -> Sequence[APIRouter]:
        """Return the part's routes."""
        raise NotImplementedError

    def upload(self, path: str) -> Mapping[int, str] | None:  # noqa: ARG002
        """Return the sentences on refused uploads, by status; None if a path receives none."""
        return None

    def contact(self, path: str) -> str:  # noqa: ARG002
        """Return whom people write to about a page; "" if nobody is known."""
        return ""

    def running(self) -> AbstractAsyncContextManager[None]:
        """Return what runs as long as the application."""
        return nullcontext()

    def note(self, who: Member, what: str) -> None:
        """Write to the part's own log what one of its accounts did, if it keeps one."""

    def close(self) -> None:
        """Close the database."""
        self.engine.dispose()


PartT = TypeVar("PartT", bound=ServicePart)


def of(request: Request) -> SiteState:
    """Return the state that serves a request."""
    return cast(SiteState, request.app.state.site)


def parts_of(request: Request) -> Iterable[ServicePart]:
    """Return all parts that are served."""
    return cast("dict[type[ServicePart], ServicePart]", request.app.state.parts).values()


def part_of(request: Request, kind: type[PartT]) -> PartT:
    """Return the part that serves a request."""
    return cast(PartT, cast("dict[type[ServicePart], Any]", request.app.state.parts)[kind])


def client(request: Request) -> str:
    """Return the client's key for rate limits."""
    return address(request.client.host if request.client else "unknown")


def unknown(request: Request, status: int, sentence: str) -> RequestRefused:
    """Count a request with an unknown token, link or invitation; return its refusal."""
    of(request).rates.count("unknown", client(request))
    return RequestRefused(status, sentence)


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
        raise RequestRefused(403, SENTENCES[403])


def logged_in(request: Request) -> Member:
    """Return the logged-in member. Raises LoginNeeded if there is none."""
    site = of(request)
    token = request.cookies.get(site.session_cookie, "")
    member = accounts.member(site.engine, token) if token else None
    if member is None:
        raise LoginNeeded
    return member


async def own_form(request: Request, who: Annotated[Member, Depends(logged_in)]) -> None:
    """Require that a form has this session's CSRF token. Raises Refused with status 403."""
    if request.method in _SAFE:
        return
    form = await request.form(max_files=0, max_fields=FIELDS, max_part_size=FIELD_BYTES)
    token = form.get(CSRF)
    if not isinstance(token, str) or not who.wrote(token):
        raise RequestRefused(403, SENTENCES[403])


Who = Annotated[Member, Depends(logged_in)]


def pages_for(role: str, sentence: str) -> APIRouter:
    """Return a router of pages for the accounts of one role. sentence: refuses all others."""

    def has_role(who: Who) -> None:
        if who.role != role:
            raise RequestRefused(403, sentence)

    return APIRouter(
        default_response_class=Response, dependencies=[Depends(own_form), Depends(has_role)]
    )


def begin_session(site: SiteState, request: Request, account: int, page: str) -> Response:
    """Log an account in with a session cookie, and redirect to a page."""
    replaces = request.cookies.get(site.session_cookie, "")
    answer = RedirectResponse(page, 303)
    set_cookie(site, answer, site.session_cookie, accounts.log_in(site.engine, account, replaces))
    return answer


def set_cookie(site: SiteState, answer: Response, name: str, value: str) -> None:
    """Set a cookie that lasts as long as the browser runs."""
    # Lax, not strict: whoever follows a link from a mail stays logged in. Changes need the form's
    # token as well.
    answer.set_cookie(name, value, secure=site.settings.secure, httponly=True, samesite="lax")
