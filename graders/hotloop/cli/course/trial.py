"""`hotloop course trial`: a class on this machine for one account, both instructor and learner."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop import curriculum
from hotloop.cli import find
from hotloop.cli.answer import Answer, log, require
from hotloop.cli.options import Modules


def run(
    modules: Modules = None,
    folder: Annotated[Path, typer.Option("--folder", help="Where it is made.")] = Path("classroom"),
) -> Answer:
    """Make a course to try things in, with a learner's place."""
    require("course")
    from hotloop.course import classroom

    names = [find.module(name).id for name in modules or []]
    wanted = names or [module.id for module in curriculum.modules()]
    made = classroom.make(folder, wanted, lambda module: log(f"Releasing {module}"))
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
    return Answer(document, Text("\n".join(lines)))
