"""The part of the service for a team's take-homes: its state, and what all its pages depend on."""

from __future__ import annotations

import asyncio
import logging
import re
import threading
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Self

from fastapi import APIRouter, Depends
from itsdangerous import URLSafeTimedSerializer
from sqlalchemy.exc import SQLAlchemyError
from starlette.requests import Request
from starlette.responses import Response

from hotloop.core import extras
from hotloop.core.user_error import UserError
from hotloop.learn.pack import limits
from hotloop.learn.pack.keys import KeyMissing
from hotloop.learn.pack.manifest import ForgedManifest
from hotloop.service.pages import refusal
from hotloop.service.settings import ServiceSettings, own_folder
from hotloop.service.takehome import links, standing
from hotloop.service.takehome.ats import settings as ats_settings
from hotloop.service.takehome.ats.settings import AtsSettings
from hotloop.service.takehome.passwords import MEMBER
from hotloop.service.takehome.queue import PortalQueue
from hotloop.service.web import secret
from hotloop.service.web.accounts import Member
from hotloop.service.web.site import ServicePart, SiteState, client, part_of
from hotloop.takehome import forgetting
from hotloop.takehome.feedback import FeedbackError
from hotloop.takehome.team import Team, TeamError, UnknownPack

if TYPE_CHECKING:
    from hotloop.service.takehome.sso import Sso

_CANDIDATE = re.compile(r"/c/([^/]{1,100})(?:/.*)?")
_UPLOAD = re.compile(r"/c/[^/]{1,100}/submission")

FOR_MEMBERS = "These pages are for the members of a team."
OVER = "The time of this link is over."
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
TELL_S = 5.0
"""Seconds between two looks at what an ATS has to be told."""

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
    """The portal of one team. opening: limits how many submissions are opened at once.

    ats: the interfaces for an ATS, sso: the single sign-on; None if the team uses none.
    """

    role = MEMBER
    home = "/candidates"
    login = "/login"
    largest = limits.MAX_UPLOAD
    faults = MappingProxyType(
        dict.fromkeys((TeamError, ForgedManifest, FeedbackError, KeyMissing), _folder_fault)
    )

    team: Team
    secret: bytes = field(repr=False)
    ats: AtsSettings | None = field(default=None, repr=False)
    sso: Sso | None = None
    opening: threading.BoundedSemaphore = field(
        default_factory=lambda: threading.BoundedSemaphore(2), init=False
    )

    @classmethod
    def open(cls, settings: ServiceSettings, site: SiteState | None = None) -> Self:
        """Open the portal of a team's folder. site: shared with other parts; None opens one.

        Raises DatabaseUnavailable, CurriculumError for an invalid `ats.yaml` or `oidc.yaml`,
        PermissionError if others may read the portal's keys, or UserError for missing packages.
        """
        folder = own_folder(settings.team)
        own, ats = secret.load(folder), ats_settings.read(folder)
        sso = _sso(folder) if (folder / "oidc.yaml").is_file() else None
        return cls(site or SiteState.open(settings), Team(settings.team), own, ats, sso)

    def routers(self) -> Sequence[APIRouter]:
        """Return the pages of the team and of candidates."""
        from hotloop.service.takehome.routes import candidate, candidates, login, results, team

        own = [part.router for part in (login, candidates, results, team, candidate)]
        if self.sso is not None:
            from hotloop.service.takehome.routes import sso

            own.append(sso.router)
        if self.ats is not None:
            from hotloop.service.takehome.routes import ats

            own += [ats.router, ats.greenhouse, ats.pages, ats.members]
        return own

    def contact(self, path: str) -> str:
        """As in `ServicePart`: on a candidate's pages the contact of their pack."""
        found = _CANDIDATE.fullmatch(path)
        with suppress(TeamError, ForgedManifest, SQLAlchemyError, OSError):
            link = links.find(self.engine, found[1]) if found else None
            return standing.manifest(self.team, link.pack).contact if link else ""
        return ""

    def upload(self, path: str) -> Mapping[int, str] | None:
        """As in `ServicePart`."""
        return {408: TOO_SLOW, 413: TOO_LARGE} if _UPLOAD.fullmatch(path) else None

    @asynccontextmanager
    async def running(self) -> AsyncGenerator[None]:
        """Delete links and queue entries of packs that are gone, at once and every EACH_S."""

        async def keep_tidy() -> None:
            await asyncio.to_thread(self.tidy, at_start=True)
            while True:
                await asyncio.sleep(EACH_S)
                await asyncio.to_thread(self.tidy)

        async def keep_telling(ats: AtsSettings) -> None:
            while True:
                await asyncio.to_thread(self.tell, ats)
                await asyncio.sleep(TELL_S)

        running = [asyncio.create_task(keep_tidy())]
        if self.ats is not None:
            running.append(asyncio.create_task(keep_telling(self.ats)))
        yield
        for task in running:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    def tell(self, ats: AtsSettings) -> None:
        """Queue what an ATS does not know yet, and deliver what is due."""
        from hotloop.service.takehome.ats import events, sending

        try:
            events.note(self, ats)
            sending.send_due(self, ats)
        except (TeamError, SQLAlchemyError, OSError) as error:
            log.error("%s", error)

    def tidy(self, *, at_start: bool = False) -> None:
        """Delete links and queue entries of packs that are gone.

        at_start: also complete deletions that a crash interrupted in reports on others. If a record
        is damaged, nothing is deleted, since the remaining packs are unknown.
        """
        try:
            # Read the database first, so that packs added in the meantime are not deleted.
            known = links.packs(self.engine) | {pack for pack, _ in self.queue.all()}
            known |= links.of_ats(self.engine)
            here = {record.pack for record in self.team.packs()}
            gone = known - here
            for pack in gone:
                links.end(self.engine, pack)
                links.end_for_ats(self.engine, pack)
                self.queue.forget(pack)
            if gone or at_start:
                forgetting.clear(self.team)
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


def _sso(folder: Path) -> Sso:
    """Return the single sign-on. Raises UserError if its packages are missing."""
    if missing := extras.missing("sso"):
        raise UserError(
            f"oidc.yaml needs {', '.join(missing)}: pip install 'hotloop[sso]' installs it."
        )
    from hotloop.service.takehome.sso import Sso

    return Sso.of(folder)


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
