"""`hotloop author export`: write a task as a folder for harnesses that train or evaluate models."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, require_local
from hotloop.core.user_error import UserError

NEXT = """
The reference gets a reward of 1 from: harbor run -p {folder} -a oracle
The site's page “Judge KernelBench, GPU MODE …” says what a harness must keep apart.
"""


def run(
    what: Annotated[
        str, typer.Argument(metavar="MODULE.TASK", help="A task, or a module's: MODULE.")
    ],
    folder: Annotated[Path, typer.Argument(metavar="DIR", help="Gets a folder for each task.")],
    gpu: Annotated[
        bool,
        typer.Option(
            "--gpu", help="Reward the checks on a GPU too; a verifier without one gives no reward."
        ),
    ] = False,
) -> CommandResult:
    """Write tasks in Harbor's form, for training a model or evaluating it.

    The model works in one container and the judge in another; the reward is the share of the
    points of the checks that the instruction lists.
    """
    require_local()
    from hotloop.author import harbor

    module, tasks = find.tasks(what)
    code = [task for task in tasks if task.kind == "code"]
    if not code:
        raise UserError(f"{what} is graded by a person: nothing can judge it.")
    folders = [
        harbor.write(module, task, folder / f"{module.id}-{task.id}", gpu=gpu) for task in code
    ]
    shown = [Text(f"made {path}") for path in folders]
    return CommandResult(
        {"made": [str(path) for path in folders]}, *shown, Text(NEXT.format(folder=folders[0]))
    )
