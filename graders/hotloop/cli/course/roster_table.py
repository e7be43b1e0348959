"""The table of who has handed in, for `hotloop course attempts` without a learner."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from hotloop.course.roster import RosterEntry


def summary(entries: Sequence[RosterEntry]) -> str:
    """Return a line for each module with how many handed in."""
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


def table(entries: Sequence[RosterEntry]) -> Table:
    """Return a line for each learner and module."""
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
