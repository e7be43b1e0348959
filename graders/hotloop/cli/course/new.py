"""`hotloop course new`: create an nbgrader course, or one to try, and release modules in it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, log, require
from hotloop.core.user_error import UserError
from hotloop.tasks import curriculum


def run(
    modules: Annotated[
        list[str] | None,
        typer.Argument(metavar="[MODULE]...", help="What is released; for a trial all by default."),
    ] = None,
    folder: Annotated[
        Path | None,
        typer.Option(
            "--course",
            help="The course's folder; with --trial, the learner's, which holds it.",
            show_default="course, or classroom with --trial",
        ),
    ] = None,
    trial: Annotated[
        bool,
        typer.Option("--trial", help="Make a course to try things in, with a learner's place."),
    ] = False,
) -> CommandResult:
    """Make an nbgrader course, or add modules to one; release them."""
    require("course")
    names = [find.module(name).id for name in modules or []]
    if trial:
        return _trial(folder or Path("classroom"), names)
    if not names:
        raise UserError("Name the modules that are released; `hotloop modules` lists them.")
    return _course((folder or Path("course")).resolve(), names)


def _course(folder: Path, names: list[str]) -> CommandResult:
    from hotloop.course.prepare import prepare

    released = prepare(folder, names)
    document = {"course": str(folder), "released": [str(path) for path in released]}
    lines = [f"Released: {path}" for path in released]
    lines += [
        f"Hand-ins go to {folder / 'submitted'}/STUDENT/MODULE/",
        f"Then: hotloop course grade --course {folder}",
    ]
    return CommandResult(document, Text("\n".join(lines)))


def _trial(folder: Path, names: list[str]) -> CommandResult:
    """Make a class on this machine for one account, both instructor and learner."""
    from hotloop.course import classroom

    wanted = names or [module.id for module in curriculum.modules()]
    created = classroom.make(folder, wanted, lambda module: log(f"Releasing {module}"))
    document = {
        "folder": str(created.folder),
        "course": str(created.course),
        "released": created.released,
    }
    lines = [
        f"Released to the class: {', '.join(created.released)}",
        f"Next: hotloop lab {folder}",
        f"Grade what was collected: hotloop course grade --course {folder / classroom.COURSE}",
    ]
    return CommandResult(document, Text("\n".join(lines)))
