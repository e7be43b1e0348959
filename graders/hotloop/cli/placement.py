"""`hotloop placement`: a test of about eight questions that finds the module to begin with."""

from typing import Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.practice_page import Browser, practice_record, served
from hotloop.core.user_error import UserError
from hotloop.learn.learning.graph import way
from hotloop.learn.practice.state import PracticeRecord
from hotloop.tasks import curriculum


def run(
    track: Annotated[
        str | None, typer.Argument(help="Which track you want to learn.", show_default=False)
    ] = None,
    browser: Browser = True,
) -> CommandResult:
    """Find the module of a track to begin with.

    A test in the browser finds it. Without a track, the tracks are listed.

    Where the machine has no browser, see `hotloop interview --help`.
    """
    state = practice_record()
    if track is None:
        return _list(state)
    _require_modules(track)
    return served("placement.html", {"track": track}, browser)


def _require_modules(track: str) -> None:
    find.track(track)
    if not any(module.track == track for module in curriculum.modules()):
        raise UserError(
            f"{track} has no module yet. Practice its questions: hotloop interview --track {track}"
        )


def _list(state: PracticeRecord) -> CommandResult:
    starts = {placement.track: placement.start for placement in state.placements}
    table = Table("track", "modules", "your last test", box=SIMPLE_HEAD)
    document: list[dict[str, Any]] = []
    for track in curriculum.curriculum().tracks:
        modules = [module.id for module in way(track.id)]
        tested = track.id in starts
        start = starts.get(track.id)
        outcome = f"begin with {start}" if start else "nothing left to learn" if tested else ""
        table.add_row(f"{track.id}\n{track.title}", ", ".join(modules), outcome)
        document.append(
            {
                "track": track.id,
                "title": track.title,
                "way": modules,
                "tested": tested,
                "start": start,
            }
        )
    return CommandResult(
        {"tracks": document}, table, Text("hotloop placement TRACK starts the test.")
    )
