"""`hotloop takehome backup`: write the team's folder to one file."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.course.attempts.attempt import account


def run(
    to: Annotated[Path, typer.Argument(help="The tar file to write.", show_default=False)],
    folder: TeamFolder = Path(),
) -> CommandResult:
    """Write the team's folder to one file, while the portal runs.

    It holds keys, names and work: encrypt it before it leaves the machine. A database on a server
    is backed up by its own tools.
    """
    team = open_team(folder)
    from hotloop.takehome import backup

    size = backup.write(team, to)
    team.audit(account(), "wrote a backup")
    return CommandResult({"file": str(to), "bytes": size}, Text(f"{to}: {size >> 10} KiB"))
