"""Shared by the commands of a team: its folder, and required packages."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer

from hotloop.cli.answer import require
from hotloop.core import paths
from hotloop.takehome.team import DESCRIPTION, Team

TeamFolder = Annotated[
    Path,
    typer.Option("--team", envvar="HOTLOOP_TEAM", help="The team's folder.", show_default="."),
]
BELOW = Path("team")
"""The team's folder where no other is named and this folder has other things in it."""


def open_team(folder: Path) -> Team:
    """Return the team.

    Raises UserError for another folder or missing packages, or SolutionsMissing.
    """
    require_packages()
    return Team(team_at(folder))


def team_at(folder: Path) -> Path:
    """Return the folder, or `team` below this one if no other is named and that is a team's."""
    if folder == Path() and not (folder / DESCRIPTION).is_file():
        return BELOW if (BELOW / DESCRIPTION).is_file() else folder
    return folder


def require_packages() -> None:
    """Raise UserError or SolutionsMissing, with the command that installs what is missing."""
    require("takehome")
    paths.solutions()


def moment(time: datetime) -> str:
    """Format a time to the minute, in UTC."""
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M}"
