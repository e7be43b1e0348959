"""`hotloop course requests`: learners' requests to review a grade, and their answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import All, CommandResult, first
from hotloop.cli.options import Course, require_course

if TYPE_CHECKING:
    from hotloop.course.requests import LearnerRequest


def run(
    number: Annotated[
        int | None, typer.Argument(metavar="[ID]", help="The one to answer.", show_default=False)
    ] = None,
    reply: Annotated[
        str, typer.Option("--answer", help="With ID: the answer, which the learner sees.")
    ] = "",
    everything: All = False,
    course: Course = Path(),
) -> CommandResult:
    """List the learners' regrade requests, or answer one.

    New ones are fetched from the exchange. Those that wait come first; --all shows the answered
    ones too. Exit code 1 if one cannot be read, or the learner's page could not be made.
    """
    require_course(course)
    from hotloop.course import exchange, requests
    from hotloop.course.config import load_config
    from hotloop.course.feedback_pages import FeedbackPages

    config = load_config(course)
    believes = exchange.believes_names(config)
    problems = requests.collect(course, *exchange.of(config), believes_names=believes)
    answered = ""
    if number is not None:
        event = requests.answer(course, number, reply)
        if problem := FeedbackPages(course).refresh(event.student, event.module):
            problems.append(f"No page: {problem}")
        answered = f"Answered: request {number}, of {event.student} on {event.module}."
    listed = requests.requests(course)
    waiting = [request for request in listed if request.answer is None]
    closed = [request for request in listed if request.answer is not None]
    shown, more = first([*waiting, *closed] if everything else waiting, everything)
    table = [_table(shown)] if shown else [Text("No request waits.")]
    lines = [*([Text(answered)] if answered else []), *table, *more]
    lines += [Text(text, "red") for text in problems]
    document = {"requests": list(map(_document, listed)), "problems": problems}
    return CommandResult(document, *lines, exit_code=int(bool(problems)))


def _document(request: LearnerRequest) -> dict[str, Any]:
    answer = request.answer
    return {
        "id": request.number,
        "student": request.student,
        "module": request.module,
        "request": request.sentence,
        "answer": {"who": answer.who, "at": answer.at.isoformat(), "why": answer.why}
        if answer
        else None,
    }


def _table(listed: Sequence[LearnerRequest]) -> Table:
    shown = Table("id", "student", "module", "request", "answer", box=SIMPLE_HEAD)
    for one in listed:
        answer = Text(one.answer.why) if one.answer is not None else Text("waits", "yellow")
        shown.add_row(str(one.number), one.student, one.module, Text(one.sentence), answer)
    return shown
