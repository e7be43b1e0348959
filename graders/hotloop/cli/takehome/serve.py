"""`hotloop takehome serve`: serve the portal."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, log
from hotloop.cli.course.serve import Host, Port
from hotloop.cli.options import Jobs, Ray
from hotloop.cli.takehome.account import Database
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.service.takehome.portal import Portal
    from hotloop.takehome.team import Team


def run(
    folder: TeamFolder = Path(),
    url: Annotated[
        str,
        typer.Option(
            envvar="HOTLOOP_PORTAL_URL",
            help="How candidates reach the portal; with a proxy, its https:// URL.",
        ),
    ] = "",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    proxy: Annotated[
        str,
        typer.Option(
            envvar="HOTLOOP_PORTAL_PROXY",
            metavar="ADDRESSES",
            help="Of reverse proxies whose word on a client's address is taken, with commas.",
            show_default=False,
        ),
    ] = "",
    jobs: Jobs = None,
    ray: Ray = "",
    database: Database = "",
    grade: Annotated[bool, typer.Option(help="Grade what comes in.")] = True,
) -> CommandResult:
    """Serve the portal, for candidates and the team.

    There candidates are invited, hand in and are graded, and the team reads the reports. It speaks
    plain HTTP: where others than this machine reach it, put a proxy with TLS before it. What was
    under way when it ended is taken up again by the next start.
    """
    team = open_team(folder)
    from hotloop.service.app import served
    from hotloop.service.takehome.grader import supervisor
    from hotloop.service.web import listening as web
    from hotloop.tasks.local_judging import default_jobs

    address = web.address(url, host, port)
    web.require_addresses(proxy)
    portal = _portal(team, address, database)
    require_accounts(portal)
    with closing(portal), web.listening(host, port) as listens:
        log(f"The portal is at {address}; Ctrl-C ends it.")
        beside = [supervisor(portal, jobs or default_jobs(), ray)] if grade else []
        web.run(served(portal), listens, beside, proxy)
    return CommandResult({"team": str(team.folder), "url": address}, Text("The portal has ended."))


def _portal(team: Team, address: str, database: str) -> Portal:
    from hotloop.service.settings import WITHOUT_CLASS, ServiceSettings
    from hotloop.service.takehome.portal import Portal

    try:
        return Portal.open(
            ServiceSettings(("takehome",), address, database, team=team.folder, rates=WITHOUT_CLASS)
        )
    except (ValueError, PermissionError) as error:
        raise UserError(str(error)) from None


def require_accounts(portal: Portal) -> None:
    """Raise UserError if no member of the team has an account."""
    from hotloop.service.takehome.passwords import MEMBER
    from hotloop.service.web import accounts

    if not accounts.names(portal.engine, MEMBER):
        command = "hotloop takehome account NAME"
        if "course" in portal.settings.parts:
            # The account belongs in the database that the class has too; its password is hidden.
            command += f" --team {portal.team.folder} --database {portal.engine.url}"
        raise UserError(f"Nobody could log in: make an account first, with `{command}`.")
