"""`hotloop ask`: ask the instructor to review a grade."""

from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, require
from hotloop.core.user_error import UserError


def run(
    task: Annotated[str, typer.Argument(metavar="MODULE.TASK", help="Which task.")],
    sentence: Annotated[str, typer.Argument(help="What you think was judged wrongly.")],
) -> CommandResult:
    """Ask your instructor to look at a grade again.

    Run it where you hand in from: the course and its exchange are those of nbgrader's settings.
    Request and answer stand on your feedback page.
    """
    require("course")
    from hotloop.course.exchange import settings
    from hotloop.course.requests import LONGEST, RegradeRequest, ask

    name, _, task_id = task.partition(".")
    module = find.module(name)
    if task_id not in (known := [each.id for each in module.tasks]):
        raise UserError(find.unknown(f"task of {module.id}", task_id, known))
    if not 1 <= len(sentence.strip()) <= LONGEST:
        raise UserError(f"Say what is wrong, in 1 to {LONGEST} characters.")
    root, course_id = settings()
    path = ask(root, course_id, RegradeRequest(module=module.id, task=task_id, sentence=sentence))
    message = f"Asked. The answer will stand on your feedback page for {module.id}."
    return CommandResult({"module": module.id, "task": task_id, "file": str(path)}, Text(message))
