"""`hotloop course serve`: the judge as a service for a class."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require, require_sandbox
from hotloop.cli.options import Jobs, Ray, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.service.course.settings import Counts
    from hotloop.service.settings import ServiceSettings
    from hotloop.service.web.site import ServicePart
    from hotloop.service.web.supervisor import Supervisor

Folder = Annotated[Path, typer.Option("--folder", help="Where the service keeps its data.")]
Database = Annotated[
    str,
    typer.Option(
        envvar="HOTLOOP_SERVE_DATABASE",
        help="SQLAlchemy URL of a database, such as postgresql+psycopg://…",
        show_default="a SQLite file in the folder",
    ),
]
Url = Annotated[
    str,
    typer.Option(
        envvar="HOTLOOP_SERVE_URL",
        help="How learners reach the service; with a proxy, its https:// URL.",
        show_default="http://HOST:PORT",
    ),
]
Host = Annotated[str, typer.Option(help="Address to listen on.")]
Port = Annotated[int, typer.Option(min=1, max=65535, help="Port to listen on.")]

FOLDER = Path("hotloop-service")


def run(
    folder: Folder = FOLDER,
    url: Url = "",
    host: Host = "127.0.0.1",
    port: Port = 8000,
    proxy: Annotated[
        str,
        typer.Option(
            envvar="HOTLOOP_SERVE_PROXY",
            metavar="ADDRESSES",
            help="Of reverse proxies whose word on a client's address is taken, with commas.",
            show_default=False,
        ),
    ] = "",
    database: Database = "",
    course: Annotated[
        Path | None,
        typer.Option(
            "--course",
            metavar="DIR",
            help="An nbgrader course that learners hand in to with `hotloop submit`.",
            show_default="none",
        ),
    ] = None,
    jobs: Jobs = None,
    gpus: Annotated[
        int | None,
        typer.Option(
            "--gpus", min=0, help="Processes for checks that need a GPU.", show_default="its GPUs"
        ),
    ] = None,
    ray: Ray = "",
    team: Annotated[
        Path | None,
        typer.Option(
            "--team",
            help="A team's folder: its take-homes are served and graded too.",
            show_default="none",
        ),
    ] = None,
) -> CommandResult:
    """Judge for a class: learners run `hotloop check --on URL`.

    Checks that need no GPU are judged at once, those that need one in turn. It speaks plain HTTP:
    where others than this machine reach it, put a proxy with TLS before it. What is waiting or
    under way when it ends is judged after the next start.
    """
    require("serve")
    if not ray:
        require_sandbox()
    from hotloop.service.app import opened, served
    from hotloop.service.course.workers import supervisors
    from hotloop.service.web import listening as web

    address = web.address(url, host, port)
    web.require_addresses(proxy)
    if course is not None:
        require_course(course)
    counts = _counts(ray, jobs, gpus)
    chosen = settings(folder, address, database, course, ray, team)
    parts = opened(chosen)
    with closing(parts[0]), web.listening(host, port) as listens:
        beside = supervisors(parts[0].engine, chosen, counts)
        if team is not None:
            beside.append(_grader(parts, jobs, ray))
        log(
            f"The service is at {address}; Ctrl-C ends it. Processes for checks on the CPU: "
            f"{counts.cpu}; on a GPU: {counts.gpu}."
        )
        web.run(served(*parts), listens, beside, proxy)
    return CommandResult({"folder": str(folder), "url": address}, Text("The service has ended."))


def settings(
    folder: Path,
    address: str,
    database: str,
    course: Path | None = None,
    ray: str = "",
    team: Path | None = None,
) -> ServiceSettings:
    """Return the service's settings.

    Raises UserError for an invalid address, if an LMS is registered or a team is given and the
    packages for that are missing, or for a team's folder that is none.
    """
    from hotloop.service.course.lti import platforms
    from hotloop.service.settings import ServiceSettings

    if team is not None:
        # Imported here, as it needs the dependency group `takehome`.
        from hotloop.cli.takehome.folder import open_team

        team = open_team(team).folder
    if (folder / platforms.FILE).is_file():
        require("lti")
    try:
        return ServiceSettings(
            parts=("course",) if team is None else ("course", "takehome"),
            base_url=address,
            database=database,
            folder=folder.resolve(),
            course=course,
            ray=ray,
            team=team or Path(),
        )
    except ValueError as error:
        raise UserError(str(error)) from None


def _grader(parts: Sequence[ServicePart], jobs: int | None, ray: str) -> Supervisor:
    """Return the supervisor of the team's grader. Raises UserError if no member has an account."""
    from hotloop.cli.takehome.serve import require_accounts
    from hotloop.service.takehome.grader import supervisor
    from hotloop.service.takehome.portal import Portal
    from hotloop.tasks.local_judging import default_jobs

    (portal,) = (part for part in parts if isinstance(part, Portal))
    require_accounts(portal)
    return supervisor(portal, jobs or default_jobs(), ray)


def _counts(ray: str, jobs: int | None, gpus: int | None) -> Counts:
    """Return the given numbers of workers, else those for this machine or for the cluster now.

    Raises ClusterUnavailable if no cluster answers.
    """
    from hotloop.course import ray_cluster
    from hotloop.judge.device import cards
    from hotloop.service.course.settings import Counts
    from hotloop.tasks.local_judging import default_jobs

    if ray in ("", "local"):
        return Counts(jobs or default_jobs(), len(cards()) if gpus is None else gpus)
    with ray_cluster.connected(ray) as connection:
        nodes = ray_cluster.alive(connection)
    cpu, gpu = (int(sum(node.get(what, 0.0) for node in nodes)) for what in ("CPU", "GPU"))
    return Counts(jobs or max(1, cpu - gpu), gpu if gpus is None else gpus)
