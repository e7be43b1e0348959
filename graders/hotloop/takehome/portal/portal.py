"""The state that all pages of a portal share."""

import threading
from dataclasses import dataclass, field
from functools import cached_property
from typing import Annotated, Self, cast

from fastapi import Depends
from itsdangerous import URLSafeTimedSerializer
from starlette.requests import Request

from hotloop.service.web import secret, site
from hotloop.service.web.rates import RateLimits
from hotloop.service.web.site import Site, client
from hotloop.takehome.portal import database
from hotloop.takehome.portal.queue import Queue
from hotloop.takehome.portal.settings import Settings
from hotloop.takehome.team import Team


@dataclass
class Portal(Site[Settings]):
    """The portal of one team. opening: limits how many submissions are opened at once."""

    team: Team
    secret: bytes = field(repr=False)
    opening: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(2), init=False
    )

    @classmethod
    def open(cls, team: Team, settings: Settings | None = None) -> Self:
        """Open the portal of a team's folder. Raises DatabaseUnavailable."""
        settings = settings or Settings()
        engine = database.connect(team.folder, settings.database)
        own = secret.load(database.own_folder(team.folder))
        return cls(settings, engine, RateLimits(settings.rates), team, own)

    @property
    def queue(self) -> Queue:
        """The queue of submissions to grade."""
        return Queue(self.engine)

    @cached_property
    def strangers(self) -> URLSafeTimedSerializer:
        """Signs the forms of visitors without a session."""
        return URLSafeTimedSerializer(secret.derive(self.secret, "strangers"), salt="login")

    @property
    def form_cookie(self) -> str:
        """Name of the cookie that ties the login form to a browser."""
        return "__Host-hotloop-form" if self.settings.secure else "hotloop-form"


def of(request: Request) -> Portal:
    """Return the portal that serves a request."""
    return cast(Portal, site.of(request))


def count_guess(request: Request, name: str) -> None:
    """Count a password attempt. Raises Refused with status 429 if there were too many."""
    rates = of(request).rates
    rates.count("login", client(request))
    rates.count("name", f"{client(request)} {name}")
    rates.count("account", name)


def guessed_right(request: Request, name: str) -> None:
    """Reset this address's count of failed attempts on the account after a correct password."""
    of(request).rates.clear("name", f"{client(request)} {name}")


async def here(request: Request) -> Portal:
    """Return the portal, as a dependency of pages."""
    return of(request)


Here = Annotated[Portal, Depends(here)]
