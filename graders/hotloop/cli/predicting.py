"""`hotloop check --predict`: predict the verdict after a change to one place of your own code."""

from __future__ import annotations

from pathlib import Path

from hotloop.cli import find
from hotloop.cli.answer import Answer, UserError, require_sandbox
from hotloop.cli.judging import judging_line
from hotloop.cli.work import work_folder


def predict(what: str | None, folder: Path) -> Answer:
    """Ask about one task. With --json, print the questions with their answers instead of asking."""
    module, tasks = find.tasks(what or "")
    code = next(task.id for task in module.tasks if task.kind == "code")
    if len(tasks) != 1 or tasks[0].kind != "code":
        raise UserError(f"--predict is about one task with code, such as {module.id}.{code}.")
    require_sandbox()
    from hotloop.predicting import game

    own = game.work(module.id, tasks[0].id, work_folder(folder, module.id))
    with judging_line() as say:
        asked = game.questions(own, say)

    def play(as_json: bool) -> int:
        if not as_json:
            game.play(module.id, asked)
        return 0

    return Answer({"questions": [item.model_dump(mode="json") for item in asked]}, then=play)
