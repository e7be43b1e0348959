"""`hotloop takehome serve`: the portal in the browser."""

from __future__ import annotations

import logging
import socket
from contextlib import closing
from ipaddress import ip_network
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import Answer, UserError, log
from hotloop.cli.options import Jobs, Ray
from hotloop.cli.takehome.account import Database
from hotloop.cli.takehome.folder import TeamFolder, open_team

if TYPE_CHECKING:
    from hotloop.takehome.portal.portal import Portal
    from hotloop.takehome.portal.supervisor import Supervisor
    from hotloop.takehome.team import Team


def run(
    team: TeamFolder = Path(),
    url: Annotated[
        str,
        typer.Option(
            envvar="HOTLOOP_PORTAL_URL",
            help="How candidates reach the portal; with a proxy, its https:// URL.",
        ),
    ] = "",
    host: Annotated[str, typer.Option(help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")] = 8000,
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
) -> Answer:
    """Serve the portal, for candidates and the team.

    There candidates are invited, hand in and are graded, and the team reads the reports. It speaks
    plain HTTP: where others than this machine reach it, put a proxy with TLS before it. What was
    under way when it ended is taken up again by the next start.
    """
    found = open_team(team)
    from hotloop.course.grade import default_jobs
    from hotloop.takehome.portal.supervisor import Supervisor

    address = _address(url, host, port)
    _require_addresses(proxy)
    portal = _portal(found, address, database)
    watched = Supervisor(found.folder, database, jobs or default_jobs(), ray)
    _require_accounts(portal)
    with closing(portal), _listening(host, port) as listening:
        log(f"The portal is at {address}; Ctrl-C ends it.")
        _run(portal, watched if grade else None, listening, proxy)
    return Answer({"team": str(found.folder), "url": address}, Text("The portal has ended."))


def _address(url: str, host: str, port: int) -> str:
    """What links begin with."""
    if url:
        return url.rstrip("/")
    if host in ("0.0.0.0", "::"):
        raise UserError("Say with --url how candidates reach the portal, such as https://host.")
    return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def _portal(team: Team, address: str, database: str) -> Portal:
    from hotloop.takehome.portal.portal import Portal
    from hotloop.takehome.portal.settings import Settings

    try:
        return Portal.open(team, Settings(base_url=address, database=database))
    except (ValueError, PermissionError) as error:
        raise UserError(str(error)) from None


def _require_accounts(portal: Portal) -> None:
    from hotloop.takehome.portal import accounts

    if accounts.count(portal.engine) == 0:
        raise UserError(
            "Nobody could log in: make an account first, with `hotloop takehome account NAME`."
        )


def _require_addresses(proxy: str) -> None:
    """What is no address would never match, and limits would count the proxy."""
    given = [one.strip() for one in proxy.split(",")] if proxy else []
    for one in given:
        try:
            if one != "*":
                ip_network(one)
        except ValueError:
            raise UserError(
                f"--proxy: {one!r} is no address such as 10.0.0.2, and no network such as "
                "10.0.0.0/8."
            ) from None


def _listening(host: str, port: int) -> socket.socket:
    """A socket that listens already: only then the portal is where it says. UserError where it
    cannot be.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, UnicodeError) as error:
        said = (isinstance(error, OSError) and error.strerror) or str(error)
        raise UserError(
            f"Nothing can listen on {host}:{port}: {said}. Choose another --host or --port."
        ) from None


def _run(portal: Portal, watched: Supervisor | None, listening: socket.socket, proxy: str) -> None:
    import uvicorn

    from hotloop.takehome.portal.app import served

    logging.getLogger("hotloop.takehome").setLevel(logging.INFO)
    settings = uvicorn.Config(
        served(portal),
        # Addresses of candidates' pages are secrets: no log has them.
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=bool(proxy),
        forwarded_allow_ips=proxy or None,
        limit_concurrency=500,
        timeout_keep_alive=20,
        timeout_graceful_shutdown=20,
        h11_max_incomplete_event_size=32 << 10,
    )
    server = uvicorn.Server(settings)
    if watched is not None:
        watched.start()
    try:
        server.run([listening])
    finally:
        if watched is not None:
            watched.stop()
    if not server.started:
        raise UserError("The portal did not start: its log says why.")
