"""`hotloop course release`: hand modules out to the class."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.options import Course, Modules, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.course.prepare import Released


def run(modules: Modules = None, course: Course = Path()) -> CommandResult:
    """Release the course's modules to the exchange, such as after a change in its sources.

    Copies that learners have fetched stay as they are. Exit code 1 if one could not be released.
    """
    require_course(course)
    from hotloop.course.prepare import release
    from hotloop.course.released import released_modules

    known = sorted(released_modules(course))
    names = [find.module(name).id for name in modules or []] or known
    for name in names:
        if name not in known:
            raise UserError(
                f"{name} is not in this course: add it with `hotloop course new {name}`."
            )
    done = release(course.resolve(), names)
    return CommandResult(
        done.document(),
        Text("\n".join(released_lines(done)), no_wrap=True),
        exit_code=int(bool(done.problems)),
    )


def released_lines(done: Released) -> list[str]:
    """Return what was released, whether learners can reach it, and how they do."""
    lines = [f"Not released: {problem}" for problem in done.problems]
    if done.modules:
        lines.append(f"Released: {', '.join(done.modules)}, to the exchange {done.exchange}")
    if done.settings is not None:
        lines.append(f"Learners' settings: {done.settings}, into /etc/jupyter or beside their work")
    if done.closed is not None:
        lines.append(
            f"Other accounts cannot reach that exchange, because {done.closed} is closed to them. "
            "Learners with accounts of their own on this machine need another one: name it as "
            "`c.Exchange.root` in the course's nbgrader_config.py (mode 1777), and run "
            "`hotloop course release`."
        )
    return lines
