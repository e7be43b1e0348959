"""`hotloop takehome calibrate`: difficulty and discrimination of a role's tasks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table
from rich.text import Text

from hotloop.cli.answer import CommandResult, log, require_sandbox
from hotloop.cli.takehome.folder import TeamFolder, open_team
from hotloop.core.user_error import UserError
from hotloop.course.attempts.attempt import account
from hotloop.takehome.team import Team

if TYPE_CHECKING:
    from hotloop.course.item_statistics import Difficulty, Discrimination
    from hotloop.takehome.calibration import Calibration, Time
    from hotloop.takehome.report import CheckQuality
    from hotloop.takehome.role import TakehomeRole


def run(
    role: Annotated[str, typer.Argument(help="Which role.")],
    folder: TeamFolder = Path(),
    measure: Annotated[
        bool,
        typer.Option(
            "--measure",
            help="First judge the reference and all wrong answers of its tasks here, in place of "
            "what was measured before.",
        ),
    ] = False,
    speed: Annotated[
        bool, typer.Option(help="With --measure: also what measures speed, which takes longest.")
    ] = True,
    times: Annotated[
        int, typer.Option(min=1, max=100, help="With --measure: how often each is judged.")
    ] = 1,
) -> CommandResult:
    """Say how hard and how telling the tasks of a role are.

    And how long they take, and how strong their checks are.
    """
    team = open_team(folder)
    from hotloop.takehome import calibration

    if not measure and (times != 1 or not speed):
        raise UserError("--times and --no-speed say how to measure: say --measure as well.")
    if measure:
        require_sandbox()
        _measure(team, team.role(role), speed, times)
    result = calibration.calibrate(team, role)
    return CommandResult(result.model_dump(mode="json"), _calibration(result), _remarks(result))


def _measure(team: Team, role: TakehomeRole, speed: bool, times: int) -> None:
    from hotloop.author import evidence
    from hotloop.core import whole_file
    from hotloop.takehome import quality

    module = role.module
    tasks = [task.id for task in role.chosen() if task.kind == "code"]
    if not tasks:
        raise UserError(f"{role.role} has no task that a judge judges.")
    run = evidence.measure(
        module, log, selection=evidence.EvidenceSelection(tasks, speed), times=times
    )
    path = quality.path_of(team, module)
    path.parent.mkdir(exist_ok=True)
    text = json.dumps(run.model_dump(mode="json", exclude_none=True), indent=1)
    whole_file.replace(path, f"{text}\n".encode())
    team.audit(account(), f"measured the checks of {module}")


def _calibration(result: Calibration) -> Table:
    """Return a table of the figures with their 95 % intervals."""
    table = Table(box=SIMPLE_HEAD)
    for heading in (
        "task", "candidates", "mean share", "minutes", "discrimination", "wrong pass", "wrong fail",
    ):  # fmt: skip
        table.add_column(heading, overflow="fold")
    for task in result.tasks:
        table.add_row(
            task.task,
            str(task.difficulty.count),
            _share(task.difficulty),
            _minutes(task.time),
            _correlation(task.discrimination),
            *_check_quality(task.check_quality),
        )
    return table


def _remarks(result: Calibration) -> Text:
    """List remarks on tasks, and a warning if there are few candidates."""
    lines = [f"{task.task}: {remark}" for task in result.tasks for remark in task.remarks]
    lines.append(result.warning or f"From {result.candidates} candidates.")
    return Text("\n".join(lines), "yellow")


def _share(difficulty: Difficulty) -> str:
    if difficulty.mean is None or difficulty.interval is None:
        return "not measured"
    low, high = difficulty.interval.low, difficulty.interval.high
    return f"{difficulty.mean:.0%} ({100 * low:.0f}–{high:.0%})"


def _minutes(time: Time) -> str:
    if time.median is None:
        return f"not measured; {time.planned:.0f} are told, an estimate"
    logs = f"{time.candidates} log{'' if time.candidates == 1 else 's'}"
    spread = time.interval
    around = "" if spread is None else f" ({spread.low:.0f}–{spread.high:.0f})"
    return f"{time.median:.0f}{around} of {time.planned:.0f}, {logs}"


def _correlation(discrimination: Discrimination) -> str:
    if discrimination.correlation is None:
        return "not measured"
    if discrimination.interval is None:
        return f"{discrimination.correlation:.2f} (no interval)"
    low, high = discrimination.interval
    return f"{discrimination.correlation:.2f} ({low:.2f} to {high:.2f})"


def _check_quality(checks: CheckQuality | None) -> tuple[str, str]:
    if checks is None:
        return "–", "–"
    from hotloop.takehome.quality import counted

    return (
        counted(len(checks.wrong_passed), checks.wrong_answers, checks.wrong_pass_rate),
        counted(len(checks.reference_failed), checks.references, checks.wrong_fail_rate),
    )
