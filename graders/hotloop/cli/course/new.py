"""`hotloop course new`: create an nbgrader course, or one to try, and release modules in it."""

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult, log, require
from hotloop.cli.course.due import parse_date
from hotloop.cli.course.release import released_lines
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
    exchange: Annotated[
        Path | None,
        typer.Option(
            "--exchange",
            metavar="DIR",
            help="Of a new course: through which learners' accounts get and hand in work.",
            show_default="the machine's, or one beside the course",
        ),
    ] = None,
    due: Annotated[
        str | None,
        typer.Option(
            "--due",
            metavar="DATE",
            help="Of these modules, as in `course due`.",
            show_default=False,
        ),
    ] = None,
    trial: Annotated[
        bool,
        typer.Option("--trial", help="Make a course to try things in, with a learner's place."),
    ] = False,
) -> CommandResult:
    """Make an nbgrader course, or add modules to one; release them to the exchange.

    Only this account can read the course's folder; the exchange is outside it. Exit code 1 if
    something could not be released.
    """
    require("course")
    names = [find.module(name).id for name in modules or []]
    if trial:
        if exchange is not None or due is not None:
            raise UserError("A trial has its own exchange, and dates of `hotloop course due`.")
        return _trial(folder or Path("classroom"), names)
    if not names:
        raise UserError("Name the modules that are released; `hotloop modules` lists them.")
    return _course((folder or Path("course")).resolve(), names, exchange, due)


def _course(
    folder: Path, names: list[str], exchange: Path | None, due: str | None
) -> CommandResult:
    from hotloop.course.config import CONFIG_FILE
    from hotloop.course.dates import set_due
    from hotloop.course.prepare import add, release

    if exchange is not None and (folder / CONFIG_FILE).exists():
        raise UserError(
            f"{folder} is a course already: its exchange is `c.Exchange.root` in "
            f"{folder / CONFIG_FILE}."
        )
    date = parse_date(due)[0] if due is not None else None
    add(folder, names, place=exchange)
    done = release(folder, names)
    if date is not None:
        for name in done.modules:
            set_due(folder, name, date)
    document = {"course": str(folder), **done.document()}
    lines = [
        f"Course: {folder}",
        *released_lines(done),
        *([f"Due: {date:%Y-%m-%d %H:%M} UTC"] if date is not None else []),
        f"Then: hotloop course grade --collect --course {folder}",
    ]
    return CommandResult(
        document, Text("\n".join(lines), no_wrap=True), exit_code=int(bool(done.problems))
    )


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
