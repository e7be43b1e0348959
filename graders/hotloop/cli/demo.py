"""`hotloop demo`: grade a demonstration course."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require, require_sandbox
from hotloop.cli.course import results

if TYPE_CHECKING:
    from hotloop.author.demo import Demo


def run(
    folder: Annotated[
        Path | None,
        typer.Option("--course", help="Where the course is made.", show_default=False),
    ] = None,
    everything: Annotated[
        bool, typer.Option("--all", help="All tasks and all wrong answers of the module.")
    ] = False,
) -> CommandResult:
    """Grade a course of right and wrong answers and cheats.

    The reference, the untouched exercise, wrong answers and cheats go through nbgrader.
    Exit code 1 if a submission could not be dealt with.
    """
    require("course")
    require_sandbox()
    log("Making a course, with right answers, wrong answers and cheats handed in.")
    from hotloop.author import demo as demonstration

    with results.progress_bar() as show:
        demo = demonstration.run(folder, show, everything=everything)
    shown = (results.table(demo.results), Text("\n".join(_lines(demo))))
    return CommandResult(_document(demo), *shown, exit_code=int(bool(demo.problems)))


def _document(demo: Demo) -> dict[str, Any]:
    return {
        "results": [asdict(result) for result in demo.results],
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
    lines += [f"Not graded: {key}: {problem}" for key, problem in demo.problems.items()]
    return lines
