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
    student: Annotated[
        str | None, typer.Argument(help="Whose; none, with --log, for the whole course.")
    ] = None,
    module: Annotated[str | None, typer.Argument(help="Which module.")] = None,
    course: Course = Path(),
    drop: Annotated[
        int | None, typer.Option("--drop", metavar="ID", help="Let this one count no more.")
    ] = None,
    restore: Annotated[
        int | None, typer.Option("--restore", metavar="ID", help="Take a dropped one back.")
    ] = None,
    why: Annotated[
        str, typer.Option("--why", help="With both: the reason, for the audit log.")
    ] = "",
    log: Annotated[
        bool, typer.Option("--log", help="Also the audit log: who changed what, when and why.")
    ] = False,
    everything: All = False,
) -> CommandResult:
    """List a learner's attempts at a module; drop or restore one.

    With --log and no module, the audit log of the whole course, or of the learner, is listed,
    newest last.

    Nothing is executed. The newest attempt that was published and is not dropped counts. Where none
    is left, the grades are pending. Points of an attempt are the judge's; late penalty, and what a
    person decided, are in the total, as in the gradebook. Exit code 1 if nbgrader could not book
    what counts now.
    """
    require_course(course)
    from hotloop.course import drops, standing
    from hotloop.course.results import results

    if drop is not None and restore is not None:
        raise UserError("Drop one or restore one: not both at once.")
    require_known(course, [student] if student is not None else [])
    if module is None and log and drop is None and restore is None:
        events = standing.log(course, student)
        more, shown = _last(events, everything)
        return CommandResult(
            {"log": [_event(event) for event in events]}, *more, _log(shown, whose=True)
        )
    if student is None or module is None:
        raise UserError("Name a learner and a module; --log alone lists the whole course's log.")
    name, problem = find.module(module).id, ""
    if drop is not None:
        problem = drops.drop(course, student, name, drop, why)
    if restore is not None:
        problem = drops.restore(course, student, name, restore, why)
    attempts = standing.attempts(course, student, name)
    if not attempts:
        raise UserError(f"{student} has no attempts at {name}.")
    [total] = results(course, [(student, name)], {}).totals
    document = {
        "student": student,
        "module": name,
        "attempts": [_document(one) for one in attempts],
        "total": asdict(total),
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
