"""`hotloop takehome init`: create a team's folder, with its keys and a first role."""

import shutil
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import require_packages
from hotloop.cli.takehome.roles import add_role, contact_and_notice
from hotloop.core.user_error import UserError
from hotloop.takehome.role import WHEEL
from hotloop.takehome.team import Team

_NEXT = """
Next: read {path}, its privacy notice above all, strike out what you do not need, then
  hotloop takehome new {role} --name "…"
Keep a copy of {keys} where only the team can read it: without it no pack can be graded."""


def run(
    folder: Annotated[Path, typer.Argument(help="The team's folder, new or a team's already.")],
    module: Annotated[str, typer.Option(help="The module of the first role.")],
    role: Annotated[str, typer.Option(help="Its id; the module's if not given.")] = "",
    title: Annotated[str, typer.Option(help="What candidates read; the module's title.")] = "",
    company: Annotated[
        str, typer.Option(help="Who hires; for the privacy notice. Asked for if not given.")
    ] = "",
    contact: Annotated[
        str, typer.Option(help="Where candidates reach a person. Asked for if not given.")
    ] = "",
    wheel: Annotated[
        Path | None,
        typer.Option(
            envvar="HOTLOOP_WHEEL",
            show_envvar=False,
            help="Hotloop's wheel, or its folder, for packs to bring along.",
        ),
    ] = None,
) -> CommandResult:
    """Make a team's folder with its keys and a first role.

    The role is a takehome.yaml to begin with.
    """
    require_packages()
    chosen = find.module(module)
    known = Team(folder).roles() if (folder / "team.json").is_file() else []
    about = contact_and_notice(known, company, contact)
    team = Team(folder) if (folder / "team.json").is_file() else Team.create(folder)
    if wheel is not None:
        _take(wheel, team)
    path = add_role(team, role or chosen.id, title or chosen.title, chosen, about)
    keys = team.folder / "keys"
    document = {"team": str(team.folder), "role": str(path), "keys": str(keys)}
    shown = f"{team.folder}: a team's folder" + _NEXT.format(
        path=path, role=role or chosen.id, keys=keys
    )
    return CommandResult(document, Text(shown))


def _take(wheel: Path, team: Team) -> None:
    """Copy the wheel into the team's folder, for new roles.

    Raises UserError for another version.
    """
    if wheel.is_dir():
        wheel /= WHEEL
    if wheel.name != WHEEL:
        raise UserError(f"{wheel} is not called {WHEEL}: packs carry the version that makes them.")
    shutil.copyfile(wheel, team.folder / WHEEL)
