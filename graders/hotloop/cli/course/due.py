"""`hotloop course due`: due dates of modules, and learners' extensions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.course.learners import require_known
from hotloop.cli.options import Course, Students, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.course.dates import Due, Followed

NONE = "none"
END_OF_DAY = time(23, 59, 59)
_HOURS = {"h": 1, "d": 24}
"""Hours per unit."""
_EXTRA = re.compile(r"(\d{1,4})([hd])")


def run(
    module: Annotated[
        str | None, typer.Argument(help="Which; without one, all are listed.", show_default=False)
    ] = None,
    when: Annotated[
        str | None,
        typer.Argument(
            metavar="[DATE]",
            help="Such as 2030-01-31T18:00, with a zone such as +02:00, or in UTC; a day alone "
            "is its end; or `none`.",
            show_default=False,
        ),
    ] = None,
    student: Students = None,
    extra: Annotated[
        str | None,
        typer.Option(
            "--extra",
            metavar="TIME",
            help="With --student: due later by so much, such as 48h or 7d; 0h takes it back.",
            show_default=False,
        ),
    ] = None,
    why: Annotated[
        str, typer.Option("--why", help="With --extra: the reason, for the audit log.")
    ] = "",
    course: Course = Path(),
) -> CommandResult:
    """List when modules are due; set a date, or give someone longer.

    What is graded already follows at once: late penalties and pages are made anew, and nothing is
    executed. A learner may be given longer before anything is handed in. Exit code 1 if a page
    could not be made.
    """
    require_course(course)
    from hotloop.course import dates

    followed = dates.Followed([])
    whole_day = False
    if extra is None and (student or why):
        raise UserError(
            "A date is everybody's: --student and --why go with --extra, which gives some learners "
            "longer, such as `--student ada --extra 48h --why ill`."
        )
    if extra is not None:
        if module is None or not student or when is not None:
            raise UserError("--extra is for one module and the learners of --student.")
        name, extension = find.module(module).id, _time(extra)
        require_known(course, student)
        followed = dates.extend(course, name, student, extension, why)
    elif when is not None and module is not None:
        due_date, whole_day = parse_date(when)
        followed = dates.set_due(course, find.module(module).id, due_date)
    wanted = find.module(module).id if module is not None else None
    due_dates = [due for due in dates.dates(course) if wanted in (None, due.module)]
    return CommandResult(
        _document(due_dates, followed),
        _table(due_dates),
        *([Text("A date without a time is the end of that day, in UTC.")] if whole_day else []),
        *_messages(followed),
        exit_code=int(bool(followed.problems)),
    )


def parse_date(text: str) -> tuple[datetime | None, bool]:
    """Parse a date; also return whether it is a day without a time, which is due at its end.

    The date is UTC without a time zone, as nbgrader stores it; None for `none`. Raises UserError if
    it is invalid.
    """
    if text == NONE:
        return None, False
    with suppress(ValueError):
        return datetime.combine(date.fromisoformat(text), END_OF_DAY), True
    try:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo is not None:
            moment = moment.astimezone(UTC).replace(tzinfo=None)
    except (ValueError, OverflowError):
        raise UserError(f"{text!r} is no date and time such as 2030-01-31T18:00.") from None
    return moment, False


def _time(text: str) -> timedelta:
    match = _EXTRA.fullmatch(text)
    if match is None:
        raise UserError(f"{text!r} is no time such as 48h or 7d.")
    number, unit = match.groups()
    return timedelta(hours=int(number) * _HOURS[unit])


def _document(due_dates: Sequence[Due], followed: Followed) -> dict[str, Any]:
    modules = {
        due.module: {
            "due": f"{due.due.isoformat()}Z" if due.due is not None else None,
            "extra_hours": {
                student: extra.total_seconds() / 3600 for student, extra in due.extensions.items()
            },
        }
        for due in due_dates
    }
    return {"modules": modules, "changed": followed.changed, "problems": followed.problems}


def _table(due_dates: Sequence[Due]) -> Table:
    from hotloop.course.dates import duration

    shown = Table("module", "due (UTC)", "later for", box=SIMPLE_HEAD)
    for due in due_dates:
        day = f"{due.due:%Y-%m-%d %H:%M}" if due.due is not None else "no date"
        extensions = due.extensions.items()
        later = ", ".join(f"{student} (+{duration(extra)})" for student, extra in extensions)
        shown.add_row(due.module, day, Text(later))
    return shown


def _messages(followed: Followed) -> list[Text]:
    lines = [f"The late penalty of {name} changed." for name in followed.changed]
    lines += [f"No page: {name}: {log}" for name, log in followed.problems.items()]
    return [Text("\n".join(lines))] if lines else []
