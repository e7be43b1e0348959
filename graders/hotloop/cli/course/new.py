"""`hotloop course new`: create an nbgrader course, and release modules in it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import Answer, require


def run(
    modules: Annotated[list[str], typer.Argument(metavar="MODULE...", help="What is released.")],
    folder: Annotated[Path, typer.Option("--course", help="The course's folder.")] = Path("course"),
) -> Answer:
    """Make an nbgrader course, or add modules to one; release them."""
    require("course")
    from hotloop.course.prepare import prepare

    folder = folder.resolve()
    names = [find.module(name).id for name in modules]
    released = prepare(folder, names)
    document = {"course": str(folder), "released": [str(path) for path in released]}
    lines = [f"Released: {path}" for path in released]
    lines += [
        f"Hand-ins go to {folder / 'submitted'}/STUDENT/MODULE/",
        f"Then: hotloop course grade --course {folder}",
    ]
    return Answer(document, Text("\n".join(lines)))
