"""`hotloop check --predict`: predict the verdict after a change to one place of your own code."""

from __future__ import annotations

from pathlib import Path

from hotloop.cli.answer import CommandResult
from hotloop.cli.judging import judging_line


def predict(module: str, task: str, folder: Path) -> CommandResult:
    """Ask about the task. With --json, print the questions with their answers instead of asking."""
    from hotloop.learn.predicting import game

    own = game.work(module, task, folder)
    with judging_line() as say:
        asked = game.questions(own, say)

    def play(as_json: bool) -> int:
        if not as_json:
            game.play(module, asked)
        return 0

    return CommandResult({"questions": [item.model_dump(mode="json") for item in asked]}, then=play)
