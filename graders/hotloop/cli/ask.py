"""`hotloop ask`: ask the instructor to review a grade."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, require
from hotloop.cli.options import Server as Url
from hotloop.core.user_error import UserError
from hotloop.learn.remote import place
from hotloop.learn.remote.client import ServiceClient
from hotloop.learn.remote.request import LONGEST_SENTENCE, RegradeRequest


def run(
    task: Annotated[str, typer.Argument(metavar="MODULE.TASK", help="Which task.")],
    sentence: Annotated[str, typer.Argument(help="What you think was judged wrongly.")],
    on: Url = "",
) -> CommandResult:
    """Ask your instructor to look at a grade again.

    It asks the service that you are logged in to. Without one, or with `--on here`, run it where
    you hand in from: the course and its exchange are those of nbgrader's settings. Request and
    answer stand on your feedback page.
    """
    name, _, task_id = task.partition(".")
    module = find.module(name)
    if task_id not in (known := [each.id for each in module.tasks]):
        raise UserError(find.unknown(f"task of {module.id}", task_id, known))
    if not 1 <= len(sentence.strip()) <= LONGEST_SENTENCE:
        raise UserError(f"Say what is wrong, in 1 to {LONGEST_SENTENCE} characters.")
    request = RegradeRequest(module=module.id, task=task_id, sentence=sentence)
    server = place.chosen(on)
    file = None if server else _put(request)
    if server:
        ServiceClient.at(server).ask_for_regrade(request)
    message = f"Asked. The answer will stand on your feedback page for {module.id}."
    document = {
        "module": module.id,
        "task": task_id,
        "service": server,
        "file": str(file) if file else "",
    }
    return CommandResult(document, Text(message))


def _put(request: RegradeRequest) -> Path:
    """Put a request into nbgrader's exchange, and return its file."""
    require("course")
    from hotloop.course.exchange import settings
    from hotloop.course.requests import ask

    return ask(*settings(), request)
