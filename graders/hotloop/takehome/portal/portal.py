"""What every page of a portal works with."""

from __future__ import annotations

import ipaddress
import math
import threading
import time
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Self, cast

from fastapi import Depends
from itsdangerous import URLSafeTimedSerializer
from limits import RateLimitItem, parse
from limits.storage import MemoryStorage
from limits.strategies import MovingWindowRateLimiter
from sqlalchemy import Engine
from starlette.requests import Request

from hotloop.takehome.portal import accounts, database, secret
from hotloop.takehome.portal.accounts import Member
from hotloop.takehome.portal.answers import SENTENCES, LoginNeeded, Refused
from hotloop.takehome.portal.queue import Queue
from hotloop.takehome.portal.settings import FIELD_BYTES, FIELDS, Rates, Settings
from hotloop.takehome.team import Team


@dataclass
class RateLimits:
    """What is counted, by kind and by who asks."""

    rates: Rates
    _limiter: MovingWindowRateLimiter = field(init=False)
    _items: dict[str, RateLimitItem] = field(init=False)

    def __post_init__(self) -> None:
        self._limiter = MovingWindowRateLimiter(MemoryStorage())
        self._items = {kind: parse(rate) for kind, rate in vars(self.rates).items()}

    def count(self, kind: str, who: str) -> None:
        """Count one. Refused, with 429, when that was too often."""
        item = self._items[kind]
        if not self._limiter.hit(item, kind, who):
            raise self._refused(item, kind, who)

    def clear(self, kind: str, who: str) -> None:
        """Begin anew: it was the right one after all."""
        self._limiter.clear(self._items[kind], kind, who)

    def _refused(self, item: RateLimitItem, kind: str, who: str) -> Refused:
        reset = self._limiter.get_window_stats(item, kind, who).reset_time
        wait = max(1, math.ceil(reset - time.time()))
        return Refused(429, SENTENCES[429], wait_s=wait)


def address(host: str) -> str:
    """Who counts as one: an address, or a network as a home has it with IPv6."""
    try:
        found = ipaddress.ip_address(host)
    except ValueError:
        return host[:64]
    if isinstance(found, ipaddress.IPv6Address) and found.ipv4_mapped is None:
        return str(ipaddress.ip_network((found, 64), strict=False))
    return str(found)


CSRF = "csrf"
"""The field of every form of the team's."""

_SAFE = ("GET", "HEAD", "OPTIONS")


@dataclass
class Portal:
    """A team's portal. uploading: links by which something is coming in at this moment."""

    team: Team
    settings: Settings
    engine: Engine
    secret: bytes = field(repr=False)
    rates: RateLimits
    uploading: set[str] = field(default_factory=set[str], init=False)
    opening: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(2), init=False
    )

    @classmethod
    def open(cls, team: Team, settings: Settings | None = None) -> Self:
        """The portal of a team's folder. DatabaseUnavailable."""
        settings = settings or Settings()
        engine = database.connect(team.folder, settings.database)
        return cls(team, settings, engine, secret.load(team.folder), RateLimits(settings.rates))

    @property
    def queue(self) -> Queue:
        """What waits to be graded."""
        return Queue(self.engine)

    @cached_property
    def strangers(self) -> URLSafeTimedSerializer:
        """Signs the forms of whoever has no session yet."""
        return URLSafeTimedSerializer(secret.derive(self.secret, "strangers"), salt="login")

    @property
    def session_cookie(self) -> str:
        """With HTTPS, a name that no other host and no plain page can set."""
        return "__Host-hotloop" if self.settings.secure else "hotloop"

    @property
    def form_cookie(self) -> str:
        """What ties the login form to a browser."""
        return "__Host-hotloop-form" if self.settings.secure else "hotloop-form"

    def close(self) -> None:
        """Let the database go."""
        self.engine.dispose()


def of(request: Request) -> Portal:
    """The portal that serves a request."""
    return cast(Portal, request.app.state.portal)


def client(request: Request) -> str:
    """Who asks, for counting."""
    return address(request.client.host if request.client else "unknown")


def count_guess(request: Request, name: str) -> None:
    """Count that a password is tried. Refused, with 429, when that was too often."""
    rates = of(request).rates
    rates.count("login", client(request))
    rates.count("name", f"{client(request)} {name}")
    rates.count("account", name)


def guessed_right(request: Request, name: str) -> None:
    """Begin to count anew for this address: it was the member after all."""
    of(request).rates.clear("name", f"{client(request)} {name}")


async def here(request: Request) -> Portal:
    """Likewise, for pages."""
    return of(request)


async def counted(request: Request) -> None:
    """Nobody may ask for pages without end."""
    of(request).rates.count("page", client(request))


async def from_here(request: Request) -> None:
    """A form that another site's page sends is refused, whatever it holds."""
    if request.method in _SAFE:
        return
    origin = request.headers.get("origin")
    if request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") or (
        origin is not None and origin != of(request).settings.origin
    ):
        raise Refused(403, SENTENCES[403])


def logged_in(request: Request) -> Member:
    """Who is logged in. LoginNeeded when nobody is."""
    portal = of(request)
    token = request.cookies.get(portal.session_cookie, "")
    found = accounts.member(portal.engine, token) if token else None
    if found is None:
        raise LoginNeeded
    return found


async def own_form(request: Request, who: Annotated[Member, Depends(logged_in)]) -> None:
    """What changes something must be a form of a page of this very session."""
    if request.method in _SAFE:
        return
    form = await request.form(max_files=0, max_fields=FIELDS, max_part_size=FIELD_BYTES)
    given = form.get(CSRF)
    if not isinstance(given, str) or not who.wrote(given):
        raise Refused(403, SENTENCES[403])


Here = Annotated[Portal, Depends(here)]
Who = Annotated[Member, Depends(logged_in)]
