"""`hotloop course learners`: who has handed in, and what is still to do."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import All, CommandResult, first
from hotloop.cli.options import Course, Modules, require_course

if TYPE_CHECKING:
    from hotloop.course.roster import RosterEntry


def run(
    modules: Modules = None,
    course: Course = Path(),
    missing: Annotated[
        bool, typer.Option("--missing", help="Only those of whom nothing is there.")
    ] = False,
    everything: All = False,
) -> CommandResult:
    """List who has handed in, when, and what waits for a person.

    Learners are those of the gradebook, and all who handed in. A hand-in that nobody has collected
    from the exchange yet is not there.
    """
    require_course(course)
    from hotloop.course.roster import roster

    entries = roster(course.resolve(), {find.module(name).id for name in modules or []})
    wanted = [entry for entry in entries if not (missing and entry.is_handed_in)]
    document = {
        "learners": [
            {**asdict(entry), "at": f"{entry.at.isoformat()}Z" if entry.at else None}
            for entry in wanted
        ]
    }
    shown, more = first(wanted, everything)
    return CommandResult(document, _table(shown), *more, Text(_summary(entries)))


def _summary(entries: Sequence[RosterEntry]) -> str:
    lines: list[str] = []
    for module in dict.fromkeys(entry.module for entry in entries):
        of = [entry for entry in entries if entry.module == module]
        counts = {
            "handed in": sum(entry.is_handed_in for entry in of),
            "late": sum(entry.late > 0 for entry in of),
            "graded": sum(entry.is_graded for entry in of),
            "with a task to mark by hand": sum(bool(entry.by_hand) for entry in of),
        }
        said = ", ".join(f"{count} {what}" for what, count in counts.items())
        lines.append(f"{module}: of {len(of)} learners {said}.")
    return "\n".join(lines)


def _table(entries: Sequence[RosterEntry]) -> Table:
    shown = Table("module", "learner", "handed in (UTC)", "points", "to mark", box=SIMPLE_HEAD)
    for entry in entries:
        shown.add_row(
            entry.module,
            Text(f"{entry.student} {entry.name}".strip()),
            _when(entry),
            _points(entry),
            ", ".join(entry.by_hand),
        )
    return shown


def _when(entry: RosterEntry) -> Text:
    if not entry.is_handed_in:
        return Text("nothing", "red")
    when = f"{entry.at:%Y-%m-%d %H:%M}" if entry.at else "no time"
    return Text(f"{when}, {entry.late:g} h late", "yellow") if entry.late else Text(when)


def _points(entry: RosterEntry) -> str:
    if entry.score is None:
        return "not graded" if entry.is_handed_in else ""
    text = f"{entry.score.points:g}/{entry.score.possible:g}"
    return f"{text}, {entry.score.pending:g} open" if entry.score.pending else text
