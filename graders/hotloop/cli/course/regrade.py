"""`hotloop course regrade`: show what a changed grader would change, and publish it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli import find
from hotloop.cli.answer import CommandResult
from hotloop.cli.course.learners import require_known
from hotloop.cli.course.results import of_possible, points, progress_bar
from hotloop.cli.options import Course, Jobs, Students, require_course

if TYPE_CHECKING:
    from hotloop.course.regrade import Regraded, RegradeEffect


def run(
    module: Annotated[str, typer.Argument(help="Which module.")],
    course: Course = Path(),
    student: Students = None,
    publish: Annotated[
        bool, typer.Option("--publish", help="Let what was regraded count from now on.")
    ] = False,
    why: Annotated[
        str, typer.Option("--why", help="With --publish: the reason, for the audit log.")
    ] = "",
    jobs: Jobs = None,
) -> CommandResult:
    """Say whose points a changed grader would change; publish that.

    The module is graded again with the present grader, and nothing is booked. With --publish
    nothing is executed, and what was found is booked. Late penalties, extensions and what a person
    decided stay: they are in the total, as in the gradebook, and not in the judge's points. Exit
    code 1 if something could not be dealt with.
    """
    require_course(course)
    from hotloop.course import regrade
    from hotloop.tasks.local_judging import default_jobs

    name = find.module(module).id
    require_known(course, student or [])
    if publish:
        regraded = regrade.publish(course, name, why, student or None)
    else:
        with progress_bar() as show:
            regraded = regrade.shadow(
                course, name, student or None, show, jobs=jobs or default_jobs()
            )
    changes = [{**asdict(change), "differs": change.differs} for change in regraded.changes]
    document = {**asdict(regraded), "changes": changes}
    return CommandResult(
        document,
        _table(regraded),
        _summary(regraded),
        exit_code=int(bool(regraded.problems)),
    )


def _table(regraded: Regraded) -> Table:
    then = "would be" if not regraded.batch else "are"
    shown = Table("student", "judge's points", then, "total now", "why", box=SIMPLE_HEAD)
    totals = {total.student: of_possible(total) for total in regraded.totals}
    for change in regraded.changes:
        if change.skipped or change.differs:
            old, new = points(change.old), points(change.new)
            shown.add_row(change.student, old, new, totals[change.student], _why(change))
    return shown


def _why(change: RegradeEffect) -> Text:
    if change.skipped:
        return Text(change.skipped, "yellow")
    return Text("\n".join(f"{task} {reason}" for task, reason in change.reasons.items()))


def _summary(regraded: Regraded) -> Text:
    compared = [change for change in regraded.changes if not change.skipped]
    differ = [change for change in compared if change.differs]
    lines = [f"{len(compared)} compared, {len(differ)} differ."]
    lines += [f"Not graded: {student}: {log}" for student, log in regraded.problems.items()]
    if regraded.batch:
        lines.append(f"Published as {regraded.batch}.")
    elif differ:
        lines.append("Nothing is changed yet: hotloop course regrade --publish --why '…'")
    return Text("\n".join(lines))
