"""`hotloop course trial`: a class on this machine, for one account that plays everybody."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import Json, UserError, answering, log, require
from hotloop.cli.options import Modules


def run(
    modules: Modules = None,
    folder: Annotated[Path, typer.Option("--folder", help="Where it is made.")] = Path("classroom"),
    as_json: Json = False,
) -> None:
    """Make a course to try things in, with a learner's place."""
    with answering(as_json) as answer:
        require("course")
        from hotloop.course import classroom
        from hotloop.course.prepare import NotPrepared

        names = [find.module(name).id for name in modules or []]
        wanted = names or [module.id for module in find.all_modules()]
        try:
            made = classroom.make(folder, wanted, lambda module: log(f"Releasing {module}"))
        except NotPrepared as error:
            raise UserError(str(error)) from None
        document = {
            "folder": str(made.folder),
            "course": str(made.course),
            "released": made.released,
        }
        lines = [
            f"Released to the class: {', '.join(made.released)}",
            f"Next: hotloop lab {folder}",
            f"Grade what was collected: hotloop course grade --course {folder / classroom.COURSE}",
        ]
        answer.give(document, Text("\n".join(lines)))
