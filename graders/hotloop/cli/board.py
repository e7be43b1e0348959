"""`hotloop board`: the class's speedups."""

from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Server as Url
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.job import Board


def run(
    module: Annotated[str, typer.Argument(help="Whose tasks.")],
    name: Annotated[
        str, typer.Option("--as", help="Join, under this name.", show_default=False)
    ] = "",
    leave: Annotated[bool, typer.Option("--leave", help="Be shown no more.")] = False,
    on: Url = "",
) -> CommandResult:
    """Show the class board: speedups over the baseline, of those who have joined.

    Those whose intervals overlap share a place.
    """
    server = ServiceClient.at(place.required(on))
    if name:
        server.join_board(name)
    if leave:
        server.leave_board()
    boards = server.boards(find.module(module).id)
    document = {"module": module, "boards": [board.model_dump() for board in boards]}
    nobody = Text("Nobody who has joined has passed a check of speed yet.")
    return CommandResult(document, *(map(_table, boards) if boards else [nobody]))


def _table(board: Board) -> Table:
    title = f"{board.task}.{board.check}, {board.device}"
    if board.unit:
        return _counted(board, title)
    table = Table("place", "name", "speedup", "interval", "of the limit", title=title)
    for one in board.places:
        low, high = one.interval
        limit = "" if one.fraction_of_limit is None else f"{one.fraction_of_limit:.0%}"
        ratio, interval = f"{one.ratio:.2f}×", f"{low:.2f} to {high:.2f}"
        table.add_row(str(one.place), Text(one.name), ratio, interval, limit)
    return table


def _counted(board: Board, title: str) -> Table:
    """Return a table of counts, which have no interval."""
    table = Table("place", "name", board.unit, "of the naive speed", "of the bound's", title=title)
    for one in board.places:
        count = "" if one.count is None else f"{one.count:,.0f}"
        bound = "" if one.fraction_of_limit is None else f"{one.fraction_of_limit:.0%}"
        table.add_row(str(one.place), Text(one.name), count, f"{one.ratio:.2f}×", bound)
    return table
