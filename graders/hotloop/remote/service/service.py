"""What every request to the service works with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Annotated, Self, cast

from fastapi import Depends
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request

from hotloop.remote.service import people
from hotloop.remote.service.people import Person
from hotloop.remote.service.settings import Class, Settings
from hotloop.remote.service.tables import opened
from hotloop.remote.service.watch import Watch
from hotloop.web import site
from hotloop.web.answers import Refused
from hotloop.web.rates import RateLimits
from hotloop.web.site import Site, client

NO_TOKEN = "This token is not known here: log in with an invitation of your instructor's."


@dataclass
class Service(Site[Settings]):
    """A class's service. streams: how many each person follows at this moment."""

    group: Class
    watch: Watch
    streams: Counter[int] = field(default_factory=Counter[int], init=False)

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """The service of a folder. DatabaseUnavailable, CurriculumError."""
        engine = opened(settings.folder, settings.database)
        group = Class.of(settings.folder)
        return cls(settings, engine, RateLimits(settings.rates), group, Watch(engine))

    def link(self, invitation: str) -> str:
        """The address that somebody is sent."""
        return f"{self.settings.origin}/join/{invitation}"

    @contextmanager
    def stream(self, who: Person) -> Generator[None]:
        """A place for one stream. Refused when the person has too many."""
        if self.streams[who.account] >= self.settings.streams_each:
            raise Refused(429, "You follow too many jobs at once: end some.", wait_s=10)
        self.streams[who.account] += 1
        try:
            yield
        finally:
            self.streams[who.account] -= 1


def of(request: Request) -> Service:
    """The service that serves a request."""
    return cast(Service, site.of(request))


async def here(request: Request) -> Service:
    """Likewise, for routes."""
    return of(request)


_bearer = HTTPBearer(auto_error=False, description="What `hotloop login` has stored.")


def asking(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Person:
    """Who asks. Refused where that is nobody known."""
    service = of(request)
    found = people.bearer(service.engine, given.credentials) if given else None
    if found is None:
        service.rates.count("unknown", client(request))
        raise Refused(401, NO_TOKEN)
    return found


Here = Annotated[Service, Depends(here)]
Asking = Annotated[Person, Depends(asking)]
