"""`hotloop due`: what is to be handed in to the class, and when."""

from collections.abc import Sequence
from datetime import UTC, datetime

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Server as Url
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.job import ModuleDate


def run(on: Url = "") -> CommandResult:
    """List what your class has to hand in, until when, and what you have handed in.

    Extra time that you were given is counted in.
    """
    modules = ServiceClient.at(place.required(on)).dates()
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
