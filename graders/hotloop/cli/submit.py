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
from hotloop.learn.remote.request import SubmittedWork, packed


def run(
    module: Annotated[str, typer.Argument(help="What you hand in.")],
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
    late: Annotated[
        bool, typer.Option("--late", help="Count it although it is late and loses points.")
    ] = False,
    on: Url = "",
) -> CommandResult:
    """Hand your work in to the course of your class.

    Do it as often as you like until the module is due (`hotloop due`): the last one counts. Later,
    one that loses points for that replaces one in time only with --late.
    """
    work = work_folder(folder, find.module(module).id)
    for name, why in work_files.left_out(work).items():
        log(f"{name} is left out: {why}")
    files = work_files.read(work)
    handed_in = SubmittedWork(hotloop=__version__, module=module, files=packed(files), late=late)
    taken = ServiceClient.at(place.required(on)).hand_in(handed_in, log)
    document = {
        "module": module,
        "handed_in": taken.handed_in.isoformat(),
        "late": taken.late,
        "files": sorted(files),
    }
    shown = [
        Text(f"{module}: {len(files)} files handed in at {taken.handed_in:%Y-%m-%d %H:%M} UTC.")
    ]
    if taken.late:
        shown.append(Text(f"{taken.late}.", "yellow"))
    return CommandResult(document, *shown)
