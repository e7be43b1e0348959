"""`hotloop feedback`: fetch released feedback on the user's work."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Server as Url
from hotloop.cli.work import work_folder
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient


def run(
    module: Annotated[str, typer.Argument(help="What you have handed in.")],
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
    on: Url = "",
) -> CommandResult:
    """Fetch the feedback on your work that was released.

    It is written into a folder beside that of your work, with a folder for each hand-in.
    """
    work = work_folder(folder, find.module(module).id)
    written: list[str] = []
    for one in ServiceClient.at(place.required(on)).feedback(module):
        target = work.with_name(f"{work.name}_feedback") / f"{one.handed_in:%Y-%m-%d_%H-%M-%S}"
        target.mkdir(parents=True, exist_ok=True)
        for name, page in one.pages.items():
            path = target / f"{name}.html"
            path.write_text(page, encoding="utf-8")
            written.append(str(path))
    message = "\n".join(written) or f"No feedback on {module} was released yet."
    return CommandResult({"module": module, "pages": written}, Text(message))
