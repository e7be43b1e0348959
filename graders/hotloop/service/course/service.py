"""The part of the service that judges for a class: its state, and what all its routes depend on."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncGenerator, Collection, Generator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Self

from fastapi import APIRouter, Depends, Header
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from pydantic import BaseModel
from starlette.requests import Request

from hotloop.course.course_files import class_variant
from hotloop.learn.remote.request import MAX_BYTES
from hotloop.service.course import hand_ins, people
from hotloop.service.course.course_dates import CourseDates
from hotloop.service.course.hand_ins import CourseExchange
from hotloop.service.course.lti import platforms
from hotloop.service.course.people import Person
from hotloop.service.course.watch import Watch
from hotloop.service.settings import ServiceSettings
from hotloop.service.web.answers import SENTENCES, RequestRefused
from hotloop.service.web.site import ServicePart, SiteState, part_of, unknown
from hotloop.service.web.uploads import place
from hotloop.tasks.variants import Variant, plain

if TYPE_CHECKING:
    from hotloop.service.course.lti.tool import Tool

FROM_LMS = frozenset({"/lti/login", "/lti/launch"})
"""Forms posted from the LMS's pages.

They are authenticated by a state that only this browser has, and by a signature.
"""

NO_TOKEN = "This token is not known here: log in with an invitation of your instructor's."


UPLOADS = ("/api/jobs", "/api/hand-ins")


@dataclass
class Service(ServicePart):
    """A class's service.

    dates: of the course; None without one. tool: for an LMS; None if none is registered. streams:
    how many each account follows now.
    """

    role = "instructor"
    home = "/queue"
    largest = MAX_BYTES

    watch: Watch
    exchange: CourseExchange | None
    dates: CourseDates | None
    tool: Tool | None
    streams: Counter[int] = field(default_factory=Counter[int], init=False)

    @classmethod
    def open(cls, settings: ServiceSettings, site: SiteState | None = None) -> Self:
        """Open the service of a folder. site: shared with other parts; None opens one.

        Raises DatabaseUnavailable, CurriculumError, or UserError if the named course does not
        exist.
        """
        site = site or SiteState.open(settings)
        exchange = None if settings.course is None else CourseExchange.of(settings.course)
        tool = None
        if (settings.folder / platforms.FILE).is_file():
            # Imported here, as it needs the dependency group `lti`.
            from hotloop.service.course.lti.tool import Tool

            tool = Tool.of(settings.folder)
        dates = None if exchange is None else CourseDates(exchange.root)
        service = cls(site, Watch(site.engine), exchange, dates, tool)
        if exchange is not None:
            # Hand-ins that were stored but not copied when the service ended.
            hand_ins.lay_all(site.engine, exchange)
        return service

    def routers(self) -> Sequence[APIRouter]:
        """Return the API for clients, the pages, and those for an LMS if one is registered."""
        from hotloop.service.course.routes import board, jobs, login, pages
        from hotloop.service.course.routes import hand_ins as of_hand_ins

        routers = [
            jobs.router,
            of_hand_ins.router,
            board.router,
            login.router,
            pages.router,
            pages.for_instructors,
        ]
        if self.tool is not None:
            from hotloop.service.course.routes import lti

            routers.append(lti.router)
        return routers

    @property
    def from_elsewhere(self) -> Collection[str]:
        """Forms that an LMS's pages post."""
        return FROM_LMS if self.tool is not None else ()

    def upload(self, path: str) -> Mapping[int, str] | None:
        """As in `ServicePart`."""
        return {} if path in UPLOADS else None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Send due scores to the LMS, and end the watch of the queue."""
        if self.tool is None:
            yield
        else:
            from hotloop.service.course.lti.sending import Passing

            passing = Passing(self.engine, self.tool, self.settings.course)
            passing.start()
            try:
                yield
            finally:
                passing.stop()
        await self.watch.end()

    def link(self, invitation: str) -> str:
        """Return the URL of an invitation."""
        return f"{self.settings.origin}/join/{invitation}"

    def given(self, module: str) -> tuple[Variant, Mapping[str, str]]:
        """Return what this service's course gave all learners: as `course.course_files`.

        Without a course it is the module as published. Raises Refused if the course's is damaged.
        """
        if self.settings.course is None:
            return plain(module), {}
        try:
            return class_variant(self.settings.course.resolve(), module)
        except ValueError as error:
            sentence = f"{module} cannot be judged, tell your instructor: {error}"
            raise RequestRefused(503, sentence) from None

    @property
    def folders(self) -> list[Path]:
        """Where what learners send is stored."""
        exchange = [] if self.exchange is None else [self.exchange.folder]
        return [self.settings.folder, *exchange]

    @contextmanager
    def stream(self, who: Person) -> Generator[None]:
        """Reserve one stream of a person. Raises Refused if they, or all people, have too many."""
        if self.streams[who.account] >= self.settings.streams_each:
            raise RequestRefused(429, "You follow too many jobs at once: end some.", wait_s=10)
        if self.streams.total() >= self.settings.streams:
            raise RequestRefused(503, SENTENCES[503], wait_s=10)
        self.streams[who.account] += 1
        try:
            yield
        finally:
            self.streams[who.account] -= 1


async def here(request: Request) -> Service:
    """Return the service, as a dependency of routes."""
    return part_of(request, Service)


_bearer = HTTPBearer(auto_error=False, description="What `hotloop login` has stored.")


def asking(
    request: Request,
    token: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)],
) -> Person:
    """Return the person who sent a request. Raises Refused without a valid token."""
    engine = part_of(request, Service).engine
    person = people.bearer(engine, token.credentials) if token else None
    if person is None:
        raise unknown(request, 401, NO_TOKEN)
    return person


async def uploaded(
    request: Request,
    service: Annotated[Service, Depends(here)],
    who: Annotated[Person, Depends(asking)],
) -> bytes:
    """Return the body of a request, read only after the token was checked."""
    service.rates.count("put", str(who.account))
    with place(service.site, str(who.account), service.settings.uploads, service.folders):
        return await request.body()


Here = Annotated[Service, Depends(here)]
Asking = Annotated[Person, Depends(asking)]
Body = Annotated[bytes, Depends(uploaded)]
Key = Annotated[str, Header(alias="Idempotency-Key", min_length=16, max_length=64)]


def body_of(model: type[BaseModel]) -> dict[str, Any]:
    """Return the OpenAPI description of a request body."""
    content = {"application/json": {"schema": model.model_json_schema()}}
    return {"requestBody": {"required": True, "content": content}}
