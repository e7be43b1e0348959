"""`hotloop author env`: environments for packages that conflict with Hotloop's own."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop import own_environments
from hotloop.cli.answer import Answer, UserError, log


def run(
    name: Annotated[str, typer.Argument(help="`torch_xla`, or another that `doctor` names.")],
    folder: Annotated[
        Path | None, typer.Option(help="Where to make it; in your cache when left out.")
    ] = None,
) -> Answer:
    """Make an environment with pinned packages and Hotloop in it; nothing if it is there."""
    if name not in own_environments.names():
        known = ", ".join(own_environments.names())
        raise UserError(f"There is no environment {name}; there are {known}.")
    target = (folder or own_environments.default_folder(name)).absolute()
    command = own_environments.make(name, target, log)
    said = Text(f"Grade with {command} check MODULE")
    return Answer({"environment": str(target), "hotloop": str(command)}, said)
