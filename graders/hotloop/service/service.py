"""The state and the dependencies that all routes of the service share."""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self, cast

from fastapi import Depends, Header
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel
from starlette.requests import Request

from hotloop.course.given import given
from hotloop.service import hand_ins, people
from hotloop.service.hand_ins import Exchange
from hotloop.service.lti import platforms
from hotloop.service.people import Person
from hotloop.service.settings import Class, Settings
from hotloop.service.tables import opened
from hotloop.service.watch import Watch
from hotloop.service.web import site
from hotloop.service.web.answers import SENTENCES, Refused
from hotloop.service.web.rates import RateLimits
from hotloop.service.web.site import Site, client
from hotloop.service.web.uploads import place
from hotloop.tasks.variants import Variant, plain

if TYPE_CHECKING:
    from hotloop.service.lti.tool import Tool

NO_TOKEN = "This token is not known here: log in with an invitation of your instructor's."


@dataclass
class Service(Site[Settings]):
    """A class's service.

    tool: for an LMS; None if none is registered. streams: how many each account follows now.
    """

    group: Class
    watch: Watch
    exchange: Exchange | None
    tool: Tool | None
    streams: Counter[int] = field(default_factory=Counter[int], init=False)

    @classmethod
    def open(cls, settings: Settings) -> Self:
        """Open the service of a folder.

        Raises DatabaseUnavailable, CurriculumError, or UserError if the named course does not
        exist.
        """
        engine = opened(settings.folder, settings.database)
        group = Class.of(settings.folder)
        exchange = None if settings.course is None else Exchange.of(settings.course)
        rates = RateLimits(settings.rates)
        tool = _tool(settings.folder)
        service = cls(settings, engine, rates, group, Watch(engine), exchange, tool)
        if exchange is not None:
            # Hand-ins that were stored but not copied when the service ended.
            hand_ins.lay_all(engine, exchange)
        return service

    def link(self, invitation: str) -> str:
        """Return the URL of an invitation."""
        return f"{self.settings.origin}/join/{invitation}"

    def given(self, module: str) -> tuple[Variant, Mapping[str, str]]:
        """Return what this service's course gave all learners: as `course.given`.

        Without a course it is the module as published. Raises Refused if the course's is damaged.
        """
        if self.settings.course is None:
            return plain(module), {}
        try:
            return given(self.settings.course.resolve(), module)
        except ValueError as error:
            said = f"{module} cannot be judged, tell your instructor: {error}"
            raise Refused(503, said) from None

    @property
    def folders(self) -> list[Path]:
        """Where what learners send is stored."""
        exchange = [] if self.exchange is None else [self.exchange.folder]
        return [self.settings.folder, *exchange]

    @contextmanager
    def stream(self, who: Person) -> Generator[None]:
        """Reserve one stream of a person. Raises Refused if they, or all people, have too many."""
        if self.streams[who.account] >= self.settings.streams_each:
            raise Refused(429, "You follow too many jobs at once: end some.", wait_s=10)
        if self.streams.total() >= self.settings.streams:
            raise Refused(503, SENTENCES[503], wait_s=10)
        self.streams[who.account] += 1
        try:
            yield
        finally:
            self.streams[who.account] -= 1


def _tool(folder: Path) -> Tool | None:
    if not (folder / platforms.FILE).is_file():
        return None
    # Imported here, as it needs the dependency group `lti`.
    from hotloop.service.lti.tool import Tool

    return Tool.of(folder)


def of(request: Request) -> Service:
    """Return the service that handles a request."""
    return cast(Service, site.of(request))


async def here(request: Request) -> Service:
    """As `of`, for FastAPI's `Depends`."""
    return of(request)


_bearer = HTTPBearer(auto_error=False, description="What `hotloop login` has stored.")


def asking(
    request: Request,
    given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Person:
    """Return the person who sent a request. Raises Refused without a valid token."""
    service = of(request)
    found = people.bearer(service.engine, given.credentials) if given else None
    if found is None:
        service.rates.count("unknown", client(request))
        raise Refused(401, NO_TOKEN)
    return found


async def uploaded(
    request: Request,
    service: Annotated[Service, Depends(here)],
    who: Annotated[Person, Depends(asking)],
) -> bytes:
    """Return the body of a request, read only after the token was checked."""
    service.rates.count("put", str(who.account))
    with place(service, str(who.account), service.settings.uploads, service.folders):
        return await request.body()


Here = Annotated[Service, Depends(here)]
Asking = Annotated[Person, Depends(asking)]
Body = Annotated[bytes, Depends(uploaded)]
Key = Annotated[str, Header(alias="Idempotency-Key", min_length=16, max_length=64)]


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the OpenAPI description of a request body."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}
