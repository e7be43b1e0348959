"""The part of the service for a team's take-homes: its state, and what all its pages depend on."""

import asyncio
import logging
import re
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType
from typing import Annotated, Self

from fastapi import APIRouter, Depends
from itsdangerous import URLSafeTimedSerializer
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import Response

from hotloop.learn.pack import limits
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.service.pages import refusal
from hotloop.service.settings import ServiceSettings, own_folder
from hotloop.service.takehome import links
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.takehome.queue import PortalQueue
from hotloop.service.web import secret
from hotloop.service.web.accounts import Member
from hotloop.service.web.site import ServicePart, SiteState, client, part_of
from hotloop.takehome.team import Team, TeamError, UnknownPack

_UPLOAD = re.compile(r"/c/[^/]{1,100}/submission")

FOR_MEMBERS = "These pages are for the members of a team."
OVER = "The time of this link is over. Ask the team that sent it."
NO_CANDIDATE = "There is no such candidate, or all about them was deleted."
DAMAGED = (
    "Something of the team's is not as it must be, and nothing was taken: keep your work, "
    "and write to the team."
)
"""Message for a candidate, who did not cause the error."""

TOO_SLOW = (
    "The upload was too slow, or stalled, and was not taken. What you handed in before is "
    "kept. Hand in the file again, on a faster connection if you can."
)
TOO_LARGE = (
    f"The file is larger than {limits.MAX_UPLOAD >> 20} MiB, and was not read: hand in the one "
    "that `hotloop takehome submit` wrote."
)

EACH_S = 30.0

log = logging.getLogger("hotloop.service")


async def _folder_fault(request: Request, error: Exception) -> Response:
    """Respond to missing packs and to faults in the team's folder.

    A team member reads what is damaged; a candidate sees no path of the team.
    """
    of_candidate = request.url.path.startswith("/c/")
    if isinstance(error, UnknownPack):
        status = 410 if of_candidate else 404
        return refusal(request, status, OVER if of_candidate else NO_CANDIDATE)
    log.error("%s", error)
    if of_candidate:
        return refusal(request, 503, DAMAGED)
    return refusal(request, 409, str(error))


@dataclass
class Portal(ServicePart):
    """The portal of one team. opening: limits how many submissions are opened at once."""

    role = MEMBER
    home = "/candidates"
    login = "/login"
    largest = limits.MAX_UPLOAD
    faults = MappingProxyType({TeamError: _folder_fault, ForgedManifest: _folder_fault})

    team: Team
    secret: bytes = field(repr=False)
    opening: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(2), init=False
    )

    @classmethod
    def open(cls, settings: ServiceSettings, site: SiteState | None = None) -> Self:
        """Open the portal of a team's folder. site: shared with other parts; None opens one.

        Raises DatabaseUnavailable, or PermissionError if others may read the portal's key.
        """
        own = secret.load(own_folder(settings.team))
        return cls(site or SiteState.open(settings), Team(settings.team), own)

    def routers(self) -> Sequence[APIRouter]:
        """Return the pages of the team and of candidates."""
        from hotloop.service.takehome.routes import candidate, candidates, login, results, team

        return [part.router for part in (login, candidates, results, team, candidate)]

    def upload(self, path: str) -> Mapping[int, str] | None:
        """As in `ServicePart`."""
        return {408: TOO_SLOW, 413: TOO_LARGE} if _UPLOAD.fullmatch(path) else None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Delete links and queue entries of packs that are gone, at once and every EACH_S."""

        async def keep_tidy() -> None:
            while True:
                await asyncio.to_thread(self.tidy)
                await asyncio.sleep(EACH_S)

        tidying = asyncio.create_task(keep_tidy())
        yield
        tidying.cancel()
        with suppress(asyncio.CancelledError):
            await tidying

    def tidy(self) -> None:
        """Delete links and queue entries of packs that are gone.

        If a record is damaged, nothing is deleted, since the remaining packs are unknown.
        """
        try:
            # Read the database first, so that packs added in the meantime are not deleted.
            known = links.packs(self.engine) | {pack for pack, _ in self.queue.all()}
            here = {record.pack for record in self.team.packs()}
            for pack in known - here:
                links.end(self.engine, pack)
                self.queue.forget(pack)
        except (TeamError, SQLAlchemyError, OSError) as error:
            log.error("%s", error)

    def note(self, who: Member, what: str) -> None:
        """Write what a member did to the team's audit log."""
        if who.role == MEMBER:
            self.team.audit(who.name, what)

    @property
    def queue(self) -> PortalQueue:
        """The queue of submissions to grade."""
        return PortalQueue(self.engine)

    @cached_property
    def strangers(self) -> URLSafeTimedSerializer:
        """Signs the forms of visitors without a session."""
        return URLSafeTimedSerializer(secret.derive(self.secret, "strangers"), salt="login")

    @property
    def form_cookie(self) -> str:
        """Name of the cookie that ties the login form to a browser."""
        return "__Host-hotloop-form" if self.settings.secure else "hotloop-form"


def count_guess(request: Request, name: str) -> None:
    """Count a password attempt. Raises Refused with status 429 if there were too many."""
    rates = part_of(request, Portal).rates
    rates.count("login", client(request))
    rates.count("name", f"{client(request)} {name}")
    rates.count("account", name)


def guessed_right(request: Request, name: str) -> None:
    """Reset this address's count of failed attempts on the account after a correct password."""
    part_of(request, Portal).rates.clear("name", f"{client(request)} {name}")


async def here(request: Request) -> Portal:
    """Return the portal, as a dependency of pages."""
    return part_of(request, Portal)


Here = Annotated[Portal, Depends(here)]
