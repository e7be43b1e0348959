"""`hotloop author render`: make exercises from solutions, and update code quoted in lessons."""

from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require
from hotloop.core import paths


def run(
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit code 1 if a file is stale.")
    ] = False,
    rebase: Annotated[
        bool,
        typer.Option(
            "--rebase",
            help="First carry wrong answers over what has changed since the last commit.",
        ),
    ] = False,
) -> CommandResult:
    """Bring exercises/ up to date with solutions/, and lessons with the code that they quote."""
    require("local")
    from hotloop.author import quoting
    from hotloop.tasks import render as rendering  # imports nbformat, which takes seconds

    rebased = rendering.rebase() if rebase else []
    changed = rendering.stale() if check else rendering.write()
    changed += quoting.stale() if check else quoting.write()
    names = [str(path.relative_to(paths.root())) for path in (*rebased, *changed)]
    state = "stale, run `hotloop author render`" if check else "written"
    lines = [f"{name}: {state}" for name in names] or ["exercises/ and lessons are up to date"]
    document = {"stale" if check else "written": names}
    return CommandResult(document, Text("\n".join(lines)), exit_code=int(check and bool(names)))
