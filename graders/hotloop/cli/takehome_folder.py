"""What the commands of a team share: its folder, who is at work, and what they lack."""

from __future__ import annotations

import getpass
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from hotloop.cli.answer import UserError, require
from hotloop.core import paths
from hotloop.takehome.keys import KeyMissing
from hotloop.takehome.manifest import ForgedManifest
from hotloop.takehome.team import Team, TeamError
from hotloop.yaml_lines import CurriculumError

TeamFolder = Annotated[
    Path,
    typer.Option("--team", envvar="HOTLOOP_TEAM", help="The team's folder.", show_default="."),
]


def open_team(folder: Path) -> Team:
    """The team. UserError when the folder is none, or packages are missing; SolutionsMissing."""
    require_packages()
    with sentences():
        return Team(folder)


def require_packages() -> None:
    """UserError or SolutionsMissing, with the command that installs what a team lacks."""
    require("takehome")
    paths.solutions()


@contextmanager
def sentences() -> Generator[None]:
    """What is wrong with a team's folder becomes what the command answers."""
    try:
        yield
    except (TeamError, KeyMissing, ForgedManifest, CurriculumError) as error:
        raise UserError(str(error)) from None
    except OSError as error:
        raise UserError(f"{error.filename or 'A file'}: {why(error)}.") from None


def why(error: OSError) -> str:
    """What the system says of it, without a number."""
    return error.strerror or str(error)


def who() -> str:
    """Whose account this is, for the audit log."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"
