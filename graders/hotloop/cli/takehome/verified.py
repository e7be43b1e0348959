"""`hotloop takehome grade --verify`: check that a report's verdicts hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.takehome.folder import open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account

if TYPE_CHECKING:
    from hotloop.takehome.verify import Verification


def verified(
    reports: Sequence[str], team: Path, jobs: int, say: Callable[[str], None]
) -> Verification:
    """Judge a report's submission again, in the given team's folder or the one the report is in.

    Raises UserError unless exactly one report is given.
    """
    from hotloop.takehome import verify
    from hotloop.takehome.report import read_report
    from hotloop.takehome.team import DESCRIPTION

    if len(reports) != 1:
        raise UserError("Name one report.json with --verify.")
    path = Path(reports[0])
    report = read_report(path)
    is_team = (team / DESCRIPTION).is_file()
    folder = open_team(team if is_team else verify.find_team(path))
    result = verify.verify(report, folder, file=path, jobs=jobs, on_progress=say)
    outcome = "it holds" if result.holds else "it does not hold"
    folder.audit(account(), f"verified the report on {report.pseudonym}: {outcome}")
    return result


def displayed(result: Verification) -> tuple[Table, Text]:
    """Return a table of each check then and now, and the conclusion."""
    table = Table("task", "check", "then", "now", "standing", "what the judge says now")
    table.box = SIMPLE_HEAD
    for check in result.checks:
        standing = check.standing.replace("_", " ")
        table.add_row(
            check.task, check.check, check.then, check.now, standing, Text(check.sentence)
        )
    lines = [f"The report's verdicts {'hold' if result.holds else 'do not hold'}."]
    lines += [f"The report was altered: {what}." for what in result.altered]
    if not result.same_grader:
        lines.append("The grader is another one than the report was made by.")
    still_open = sum(check.standing == "open" for check in result.checks)
    if still_open:
        lines.append(f"{still_open} checks could not be measured here and now: they say nothing.")
    return table, Text("\n".join(lines))
