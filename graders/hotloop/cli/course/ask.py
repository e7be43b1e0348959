"""`hotloop course ask`: ask the instructor to look at a grade again."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import Json, UserError, answering, require


def run(
    task: Annotated[str, typer.Argument(metavar="MODULE.TASK", help="Which task.")],
    sentence: Annotated[str, typer.Argument(help="What you think was judged wrongly.")],
    as_json: Json = False,
) -> None:
    """Ask your instructor to look at a grade again.

    Run it where you hand in from: the course and its exchange are those of nbgrader's settings.
    Request and answer stand on your feedback page.
    """
    with answering(as_json) as answer:
        require("course")
        from hotloop.course.exchange import settings
        from hotloop.course.requests import LONGEST, Asked, NoExchange, ask

        name, _, wanted = task.partition(".")
        module = find.module(name)
        if wanted not in (known := [each.id for each in module.tasks]):
            raise UserError(find.unknown(f"task of {module.id}", wanted, known))
        if not 1 <= len(sentence.strip()) <= LONGEST:
            raise UserError(f"Say what is wrong, in 1 to {LONGEST} characters.")
        root, course_id = settings()
        try:
            path = ask(root, course_id, Asked(module=module.id, task=wanted, sentence=sentence))
        except NoExchange as error:
            raise UserError(f"Not asked: {error}") from None
        said = f"Asked. The answer will stand on your feedback page for {module.id}."
        answer.give({"module": module.id, "task": wanted, "file": str(path)}, Text(said))
