"""`hotloop demo`: a whole course, graded in front of you."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import grading
from hotloop.cli.answer import Json, UserError, answering


def run(
    folder: Annotated[
        Path | None,
        typer.Argument(help="Where; build/demo/course if not given.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Autograde the reference, the untouched exercise, wrong answers and cheats in a new course.

    Exit code 1 if a submission could not be dealt with.
    """
    with answering(as_json) as answer:
        grading.require_course_packages()
        from hotloop.course import demo

        try:
            with grading.progress_bar() as show:
                shown = demo.run(folder, show)
        except demo.NotADemo as error:
            raise UserError(f"{error}.") from None
        document = {
            "results": grading.documents(shown.results),
            "gradebook": str(shown.gradebook),
            "feedback_page": None if shown.page is None else str(shown.page),
            "missing": shown.missing,
            "problems": dict(shown.problems),
        }
        lines = [f"Gradebook: {shown.gradebook}"]
        if shown.page is not None:
            lines.append(f"A feedback page: {shown.page}")
        lines += [*shown.missing]
        lines += [f"Not graded: {key}: {log}" for key, log in shown.problems.items()]
        parts = (grading.table(shown.results), Text("\n".join(lines)))
        answer.give(document, *parts, exit_code=int(bool(shown.problems)))
