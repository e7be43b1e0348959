"""`hotloop predict`: what becomes of your own code when one place of it is changed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import Answer, UserError, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.work import work_folder
from hotloop.practice import predictions


def run(
    what: Annotated[
        str | None,
        typer.Argument(
            metavar="[MODULE.TASK]",
            help="A task that you have passed; without one, how sure you were and how often right.",
            show_default=False,
        ),
    ] = None,
    folder: Annotated[Path, typer.Argument(help="The folder with your work.")] = Path(),
) -> Answer:
    """Predict what a change to your own code does.

    After you pass a task: one place of your code is changed, you say what the judge will find and
    how sure you are, and see what it finds. With --json the questions are printed with their
    answers, and nothing is asked.
    """
    if what is None:
        return _curve()
    module, tasks = find.tasks(what)
    if len(tasks) != 1 or tasks[0].kind != "code":
        raise UserError(f"Name one task with code, such as {module.id}.{_code(module.tasks)}.")
    require_sandbox()
    from hotloop.predicting import game

    own = game.work(module.id, tasks[0].id, work_folder(folder, module.id))
    with judging_line() as say:
        asked = game.questions(own, say)

    def ask(as_json: bool) -> int:
        if not as_json:
            game.play(module.id, asked)
            print(f"\n{game.drawn(game.curve(predictions.read()))}")
        return 0

    return Answer({"questions": [item.model_dump(mode="json") for item in asked]}, then=ask)


def _curve() -> Answer:
    from hotloop.predicting import game

    bins = game.curve(predictions.read())
    document = {
        "calibration": [one.model_dump(mode="json") for one in bins],
        "record": str(predictions.path()),
    }
    return Answer(document, Text(game.drawn(bins)))


def _code(tasks: list[find.curriculum.Task]) -> str:
    return next(task.id for task in tasks if task.kind == "code")
