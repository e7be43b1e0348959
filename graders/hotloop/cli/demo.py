"""`hotloop demo`: a whole course, graded in front of you."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hotloop.cli import grading
from hotloop.cli.answer import Json, UserError, answering, require
from hotloop.sandbox.level import level

if TYPE_CHECKING:
    from hotloop.course.demo import Demo


def run(
    folder: Annotated[
        Path | None,
        typer.Option("--course", help="Where the course is made.", show_default=False),
    ] = None,
    as_json: Json = False,
) -> None:
    """Autograde reference, untouched exercise, wrong answers and cheats through nbgrader.

    Exit code 1 if a submission could not be dealt with.
    """
    with answering(as_json) as answer:
        require("course")
        isolation, reason = level()
        if isolation == "none":
            raise UserError(f"Nothing untrusted is run without a sandbox: {reason}")
        demo = _run(folder)
        shown = (grading.table(demo.results), Text("\n".join(_lines(demo))))
        answer.give(_document(demo), *shown, exit_code=int(bool(demo.problems)))


def _run(folder: Path | None) -> Demo:
    from hotloop.course import demo

    try:
        with grading.progress_bar() as show:
            return demo.run(folder, show)
    except demo.NotADemo as error:
        raise UserError(str(error)) from None


def _document(demo: Demo) -> dict[str, Any]:
    return {
        "results": grading.documents(demo.results),
        "gradebook": str(demo.gradebook),
        "feedback": str(demo.page) if demo.page else None,
        "missing": demo.missing,
        "problems": dict(demo.problems),
    }


def _lines(demo: Demo) -> list[str]:
    lines = [f"Gradebook: {demo.gradebook}"]
    if demo.page:
        lines.append(f"A feedback page: {demo.page}")
    lines += demo.missing
    lines += [f"Not graded: {key}: {said}" for key, said in demo.problems.items()]
    return lines
