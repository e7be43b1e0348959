"""`hotloop author calibrate`: speed levels supported by recorded runs on GPUs."""

from dataclasses import asdict
from typing import Annotated

import typer
from rich.text import Text

from hotloop.author import device_levels
from hotloop.cli import find
from hotloop.cli.answer import CommandResult, listing
from hotloop.cli.options import OneModule
from hotloop.core import paths
from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum


def run(
    module: OneModule = None,
    write: Annotated[
        bool, typer.Option("--write", help="Put the levels into module.yaml, by device.")
    ] = False,
) -> CommandResult:
    """Say which speed levels the recorded GPU runs support.

    A level lies above 1.15 × the upper bound of a naive solution, and below 0.85 × the lower bound
    of the reference. Where no run is recorded, module.yaml's own levels stay, and stay provisional.
    """
    wanted = [find.module(module)] if module else curriculum.modules()
    calibrated = [each for one in wanted for each in device_levels.calibrate(one.id)]
    written: list[str] = []
    if write:
        if not paths.in_clone():
            raise UserError("Levels are written in a clone, not in an installed package.")
        written = [str(path) for path in device_levels.write(calibrated)]
    document = [
        asdict(each) | {"levels": [level.model_dump() for level in each.levels]}
        for each in calibrated
    ]
    table = listing("check", "device", "levels")
    for each in calibrated:
        table.add_row(f"{each.module}.{each.task}.{each.check}", each.device, Text(each.sentence))
    message = "\n".join(f"written: {path}" for path in written)
    if not calibrated:
        message = "No run on a GPU is recorded: all levels on GPUs stay provisional."
    return CommandResult({"calibrated": document, "written": written}, table, Text(message))
