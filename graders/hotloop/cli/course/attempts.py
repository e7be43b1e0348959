"""`hotloop course attempts`: attempts, which of them count, and the course's audit log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.box import SIMPLE_HEAD
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import SCREEN, All, CommandResult, first
from hotloop.cli.course import roster_table
from hotloop.cli.course.learners import require_known
from hotloop.cli.course.results import of_possible, penalty, points
from hotloop.cli.options import Course, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.course.attempts.attempt import AuditEvent
    from hotloop.course.standing import ListedAttempt

SHORT = 12
"""Characters of a digest that are shown."""
_COLORS = {"counts": "green", "dropped": "red", "earlier": "", "shadow": "dim"}


def run(
    student: Annotated[str | None, typer.Argument(help="Whose; none for the whole course.")] = None,
    module: Annotated[str | None, typer.Argument(help="Which module.")] = None,
    course: Course = Path(),
    drop: Annotated[
        int | None, typer.Option("--drop", metavar="ID", help="Let this one count no more.")
    ] = None,
    restore: Annotated[
        int | None, typer.Option("--restore", metavar="ID", help="Take a dropped one back.")
    ] = None,
    zero: Annotated[
        bool | None,
        typer.Option("--zero/--no-zero", help="Set all points of the work to 0; take that back."),
    ] = None,
    why: Annotated[
        str, typer.Option("--why", help="With each: the reason, for the audit log.")
    ] = "",
    log: Annotated[
        bool, typer.Option("--log", help="Also the audit log: who changed what, when and why.")
    ] = False,
    missing: Annotated[
        bool, typer.Option("--missing", help="Without a learner: only what was not handed in.")
    ] = False,
    everything: All = False,
) -> CommandResult:
    """List a learner's attempts at a module, or who has handed in; drop, restore, set to 0.

    Without a learner, everybody of the gradebook and all who handed in are listed: when, how late,
    and which tasks wait for a person. With --log and no module, the audit log of the whole course,
    or of the learner, is listed, newest last.

    A zero, for copied work, is a person's mark on every cell: it stays when something is handed in
    or graded again, and the learner's page says why.

    Nothing is executed. The newest attempt that was published and is not dropped counts. Where none
    is left, the grades are pending. Points of an attempt are the judge's; late penalty, and what a
    person decided, are in the total, as in the gradebook. Exit code 1 if nbgrader could not book
    what counts now.
    """
    require_course(course)
    from hotloop.course import drops, standing, zeros
    from hotloop.course.results import results

    changes = [change for change in (drop, restore, zero) if change is not None]
    if len(changes) > 1:
        raise UserError("Drop one, restore one, or set a zero: one at once.")
    require_known(course, [student] if student is not None else [])
    if module is None and log and not changes:
        events = standing.log(course, student)
        more, shown = _last(events, everything)
        return CommandResult(
            {"log": [_event(event) for event in events]}, *more, _log(shown, whose=True)
        )
    if student is None and not changes:
        return _everybody(course, everything=everything, missing=missing)
    if student is None or module is None:
        raise UserError("Name a learner and a module; without both, all learners are listed.")
    name, problem = find.module(module).id, ""
    if drop is not None:
        problem = drops.drop(course, student, name, drop, why)
    if restore is not None:
        problem = drops.restore(course, student, name, restore, why)
    if zero is not None:
        set_points = zeros.set_zero if zero else zeros.take_back
        problem = set_points(course, student, name, why)
    attempts = standing.attempts(course, student, name)
    if not attempts:
        raise UserError(f"{student} has no attempts at {name}.")
    [total] = results(course, [(student, name)], {}).totals
    document = {
        "student": student,
        "module": name,
        "attempts": [_document(one) for one in attempts],
        "total": asdict(total),
        "zero": standing.zero_reason(course, student, name),
        "problem": problem,
    }
    events = standing.log(course, student, name) if log else []
    if log:
        document["log"] = [_event(event) for event in events]
    listed, more = first(attempts, everything)
    total_line = Text(f"Total: {of_possible(total)}. {penalty(total)}".rstrip())
    lines: list[RenderableType] = [
        *more,
        total_line,
        *([Text(f"Not booked: {problem}", "red")] if problem else []),
    ]
    lines += [_log(events)] if log else []
    return CommandResult(document, _table(listed), *lines, exit_code=int(bool(problem)))


def _everybody(course: Path, *, everything: bool, missing: bool) -> CommandResult:
    from hotloop.course.roster import roster

    entries = roster(course.resolve())
    wanted = [entry for entry in entries if not (missing and entry.is_handed_in)]
    document = {
        "learners": [
            {**asdict(entry), "at": f"{entry.at.isoformat()}Z" if entry.at else None}
            for entry in wanted
        ]
    }
    shown, more = first(wanted, everything)
    summary = Text(roster_table.summary(entries))
    return CommandResult(document, roster_table.table(shown), *more, summary)


def _document(one: ListedAttempt) -> dict[str, Any]:
    event = one.dropped
    dropped = {"who": event.who, "at": event.at.isoformat(), "why": event.why} if event else None
    return {**asdict(one), "graded": one.graded.isoformat(), "dropped": dropped}


def _event(event: AuditEvent) -> dict[str, Any]:
    return {**asdict(event), "at": event.at.isoformat()}


def _last(
    events: Sequence[AuditEvent], everything: bool
) -> tuple[list[Text], Sequence[AuditEvent]]:
    """Return the events that fit a screen, and before them a line that says how to see more."""
    left = len(events) - SCREEN
    if everything or left <= 0:
        return [], events
    hint = f"{left} earlier: --all lists them, a learner and a module only theirs."
    return [Text(hint)], events[left:]


def _log(events: Sequence[AuditEvent], *, whose: bool = False) -> Table:
    """Return the table. whose: with learner and module."""
    about = ("learner", "module") if whose else ()
    columns = ("time (UTC)", "who", "what", *about, "attempt", "judge's points", "why")
    shown = Table(*columns, box=SIMPLE_HEAD)
    for event in events:
        old_new = f"{points(event.old)} → {points(event.new)}" if event.new is not None else ""
        shown.add_row(
            f"{event.at:%Y-%m-%d %H:%M:%S}",
            Text(event.who),
            event.kind.value if event.student else f"{event.kind.value} for all",
            *((Text(event.student), event.module) if whose else ()),
            "" if event.attempt_id is None else str(event.attempt_id),
            old_new,
            Text(event.why),
        )
    return shown


def _table(attempts: Sequence[ListedAttempt]) -> Table:
    shown = Table("id", "graded (UTC)", "submission", "judge's points", "", "why", box=SIMPLE_HEAD)
    for one in attempts:
        event = one.dropped
        shown.add_row(
            str(one.id),
            f"{one.graded:%Y-%m-%d %H:%M:%S}",
            one.digest[:SHORT],
            points(one.points),
            Text(one.state.value, _COLORS[one.state.value]),
            Text(f"{event.why} ({event.who}, {event.at:%Y-%m-%d %H:%M})" if event else ""),
        )
    return shown
