"""`hotloop submit`: hand work in to the service of a class, or see when that is due."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop import __version__
from hotloop.cli import find
from hotloop.cli.answer import CommandResult, log
from hotloop.cli.options import Server as Url
from hotloop.cli.work import work_folder
from hotloop.learn.pack import work_files
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.job import ModuleDate
from hotloop.learn.remote.request import SubmittedWork, packed


def run(
    module: Annotated[
        str,
        typer.Argument(help="What you hand in; without it, all is listed.", show_default=False),
    ] = "",
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
    late: Annotated[
        bool, typer.Option("--late", help="Count it although it is late and loses points.")
    ] = False,
    on: Url = "",
) -> CommandResult:
    """Hand your work in to the course of your class; without MODULE, list what is due when.

    Do it as often as you like until then: the last one counts. Later, one that loses points for
    that replaces one in time only with --late, unless your course lets the better total count.
    """
    server = ServiceClient.at(place.required(on))
    return _hand_in(server, module, folder, late=late) if module else _dates(server)


def _hand_in(server: ServiceClient, module: str, folder: Path, *, late: bool) -> CommandResult:
    work = work_folder(folder, find.module(module).id)
    for name, why in work_files.left_out(work).items():
        log(f"{name} is left out: {why}")
    files = work_files.read(work)
    handed_in = SubmittedWork(hotloop=__version__, module=module, files=packed(files), late=late)
    taken = server.hand_in(handed_in, log)
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


def _dates(server: ServiceClient) -> CommandResult:
    modules = server.dates()
    document = {"modules": [one.model_dump(mode="json") for one in modules]}
    nothing = Text("Nothing was released yet.")
    return CommandResult(document, _table(modules) if modules else nothing)


def _table(modules: Sequence[ModuleDate]) -> Table:
    table = Table("module", "due (UTC)", "handed in (UTC)", "if it is late", box=SIMPLE_HEAD)
    now = datetime.now(UTC)
    for one in modules:
        due = Text("no date") if one.due is None else Text(f"{one.due:%Y-%m-%d %H:%M}")
        if one.due is not None and one.due < now and one.handed_in is None:
            due.stylize("yellow")
        at = "–" if one.handed_in is None else f"{one.handed_in:%Y-%m-%d %H:%M}"
        table.add_row(one.module, due, at, one.if_late)
    return table
