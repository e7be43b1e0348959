"""`hotloop course collect`: fetch hand-ins from the exchange into the course."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.course.learners import require_known
from hotloop.cli.options import Course, Modules, require_course
from hotloop.core.user_error import UserError

if TYPE_CHECKING:
    from hotloop.course.collect import Collected


def run(
    modules: Modules = None,
    course: Course = Path(),
    student: Annotated[str, typer.Option("--student", help="Whose; all if not given.")] = "",
    late: Annotated[
        list[str] | None,
        typer.Option(
            "--late",
            metavar="STUDENT",
            help="Take their late hand-in in place of one in time; may be repeated.",
        ),
    ] = None,
) -> CommandResult:
    """Collect what learners have handed in, of all modules.

    The newest hand-in counts. One that is late and loses points replaces none that was in time,
    unless its learner has said so (`hotloop submit --late`) or you do, or unless the better total
    counts in the course (`hotloop course points --late better`). What somebody has made under
    another's name is not collected. Exit code 1 if there is such a one.
    """
    require_course(course)
    from hotloop.course.collect import collect
    from hotloop.course.dates import dates
    from hotloop.course.repricing import late_hand_ins_of
    from hotloop.course.worth import LateHandIns

    require_known(course, [*([student] if student else []), *(late or ())])
    known = [each.module for each in dates(course)]
    for name in modules or []:
        if name not in known:
            raise UserError(find.unknown("released module", name, known))
    results = {name: collect(course, name, student, late or ()) for name in modules or known}
    done = [one for result in results.values() for one in result.collected]
    problems = {name: why for r in results.values() for name, why in r.problems.items()}
    document = {
        "collected": [
            {
                "student": one.student,
                "module": one.module,
                "at": one.at.isoformat(),
                "state": one.state,
                "late": one.late and one.late.isoformat(),
            }
            for one in done
        ],
        "problems": problems,
    }
    unchanged = sum(one.state == "unchanged" for one in done)
    messages = [Text(f"{len(done) - unchanged} collected, {unchanged} were there.")]
    is_better = late_hand_ins_of(course) is LateHandIns.BETTER
    messages += [
        Text(
            f"{one.student}/{one.module}: the hand-in of {one.at:%Y-%m-%d %H:%M} UTC counts; the "
            f"one of {one.late:%Y-%m-%d %H:%M} is late. {_to_take_it(one, is_better=is_better)}"
        )
        for one in done
        if one.late is not None
    ]
    messages += [Text(f"Not collected: {name}: {why}", "red") for name, why in problems.items()]
    if problems:
        messages.append(Text("Look at them in the exchange's folder `inbound`, and remove them."))
    if problems and not done:
        messages.append(
            Text(
                "If all learners have one account here, as on some hubs, nobody's name can be "
                "checked: write `c.ExchangeCollect.check_owner = False` into nbgrader_config.py."
            )
        )
    fresh = [one for one in done if one.state != "unchanged"]
    shown = [_table(fresh)] if fresh else []
    return CommandResult(document, *shown, *messages, exit_code=int(bool(problems)))


def _to_take_it(one: Collected, *, is_better: bool) -> str:
    if is_better:
        return "Grade, then collect again: the better total counts."
    return f"To take that one: hotloop course collect {one.module} --late {one.student}"


def _table(collected: Sequence[Collected]) -> Table:
    table = Table("module", "student", "handed in (UTC)", "", box=SIMPLE_HEAD)
    for one in collected:
        table.add_row(one.module, Text(one.student), f"{one.at:%Y-%m-%d %H:%M}", one.state)
    return table
