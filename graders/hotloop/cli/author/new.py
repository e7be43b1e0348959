"""`hotloop author new`: create the files of a new module."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, require_local
from hotloop.core import paths
from hotloop.core.user_error import UserError

TIERS = ("beginner", "intermediate", "advanced")

NEXT = """
Next: `hotloop author render`, then `pytest tests/test_contract.py -k {name}`. What fails is what is
left to be written. The site's page “Contribute” says what each file is for.
"""


def run(
    name: Annotated[str, typer.Argument(help="The module's id: a noun phrase, in snake_case.")],
    track: Annotated[str, typer.Option(help="The track that it belongs to.")],
    tier: Annotated[str, typer.Option(help="beginner, intermediate or advanced.")] = "beginner",
    title: Annotated[str, typer.Option(help="Its title; made from the id if not given.")] = "",
    source: Annotated[
        Path | None,
        typer.Option(
            "--from",
            metavar="PROBLEM",
            help="The tasks of a problem as its first ones: your own folder with `problem.yaml`, "
            "or KernelBench's, GPU MODE's or FlashInfer-Bench's; look at the license.",
            show_default=False,
        ),
    ] = None,
) -> CommandResult:
    """Make a module that is graded from the start.

    It is there to be filled with your own tasks.
    """
    require_local()
    from hotloop.author.external import forms
    from hotloop.author.new_module.make import make

    if tier not in TIERS:
        raise UserError(f"There is no tier {tier!r}; there are {', '.join(TIERS)}.")
    problem = None if source is None else forms.find(source)
    written = make(name, title or name.replace("_", " ").capitalize(), track, tier, problem)
    files = [path.relative_to(paths.root()).as_posix() for path in written]
    shown = [Text(f"made {file}") for file in files]
    return CommandResult({"module": name, "files": files}, *shown, Text(NEXT.format(name=name)))
