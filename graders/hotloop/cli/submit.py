"""`hotloop submit`: hand work in to the service of a class."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop import __version__
from hotloop.cli import find
from hotloop.cli.answer import CommandResult, log
from hotloop.cli.options import Server as Url
from hotloop.cli.work import work_folder
from hotloop.learn.pack import work_files
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.request import RemoteHandIn, packed


def run(
    module: Annotated[str, typer.Argument(help="What you hand in.")],
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
    on: Url = "",
) -> CommandResult:
    """Hand your work in to the course of your class.

    Do it as often as you like until the deadline: the last one counts.
    """
    work = work_folder(folder, find.module(module).id)
    for name, why in work_files.left_out(work).items():
        log(f"{name} is left out: {why}")
    files = work_files.read(work)
    handed_in = RemoteHandIn(hotloop=__version__, module=module, files=packed(files))
    server = ServiceClient.at(place.required(on))
    at = server.hand_in(handed_in, log)
    document = {"module": module, "handed_in": at.isoformat(), "files": sorted(files)}
    return CommandResult(
        document, Text(f"{module}: {len(files)} files handed in at {at:%Y-%m-%d %H:%M} UTC.")
    )
