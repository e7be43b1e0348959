"""What the commands of a team share: its folder, and who is at work."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from hotloop.cli.answer import require
from hotloop.core import paths
from hotloop.takehome.team import Team

TeamFolder = Annotated[
    Path,
    typer.Option("--team", envvar="HOTLOOP_TEAM", help="The team's folder.", show_default="."),
]


def open_team(folder: Path) -> Team:
    """The team. UserError when the folder is none, or packages are missing; SolutionsMissing."""
    require_packages()
    return Team(folder)


def require_packages() -> None:
    """UserError or SolutionsMissing, with the command that installs what a team lacks."""
    require("takehome")
    paths.solutions()


def moment(time: datetime) -> str:
    """To the minute, in UTC."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M}"
