"""What a role's tasks have shown themselves to be: how hard, how long, how telling, how checked.

From the reports on past candidates that are in the team's folder, and from what is recorded about
the module's reference and wrong answers. What was deleted of a candidate counts no more.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from hotloop import curriculum
from hotloop.course import item_statistics
from hotloop.curriculum import Identifier, Strict
from hotloop.takehome import measured_quality
from hotloop.takehome.intervals import Interval
from hotloop.takehome.manifest import RoleId
from hotloop.takehome.report import JSON_NAME, CheckQuality, Report, UnreadableReport, read_report
from hotloop.takehome.team import Team

FEW = item_statistics.fewest_learners()
"""Candidates below which no figure here says much about a task."""

_NORMAL_QUANTILE = 1.959963984540054
_FEWEST = 3

Floats = NDArray[np.float64]


class Difficulty(Strict):
    """share: mean of the settled points that candidates earned, 0 to 1, with a 95 % interval."""

    candidates: int
    share: float | None
    interval: Interval | None


class Time(Strict):
    """Active minutes by the work logs. planned: what the role tells candidates."""

    candidates: int
    median: float | None
    shortest: float | None
    longest: float | None
    planned: float


class Discrimination(Strict):
    """Correlation of a task with all the others, and its 95 % interval."""

    candidates: int
    correlation: float | None
    low: float | None
    high: float | None


class TaskCalibration(Strict):
    """One task. remarks: what a team may want to look at, in sentences."""

    task: Identifier
    title: str
    weight: float
    difficulty: Difficulty
    time: Time
    discrimination: Discrimination
    checks: CheckQuality | None
    remarks: list[str]


class Calibration(Strict):
    """warning: empty where there are candidates enough."""

    role: RoleId
    module: Identifier
    candidates: int
    warning: str
    tasks: list[TaskCalibration]


def calibrate(team: Team, role: str) -> Calibration:
    """What is known today. TeamError when there is no such role."""
    found = team.role(role)
    module = found.definition()
    reports = _reports(team, role)
    points, pending, possible = _matrices(reports, [task.id for task in found.chosen()])
    share = item_statistics.shares(points, pending, possible)
    weights = {task.task: task.weight for task in found.tasks}
    planned = found.pack_tasks(1.0)
    tasks: list[TaskCalibration] = []
    for number, task in enumerate(found.chosen()):
        difficulty = _difficulty(share[:, number])
        time = _time(reports, task.id, planned[task.id].minutes)
        telling = _discrimination(points, pending, possible, number)
        checks = measured_quality.of_task(team, module, task)
        tasks.append(
            TaskCalibration(
                task=task.id,
                title=task.title,
                weight=weights[task.id],
                difficulty=difficulty,
                time=time,
                discrimination=telling,
                checks=checks,
                remarks=_remarks(task, difficulty, time, telling, checks),
            )
        )
    return Calibration(
        role=found.role,
        module=module.id,
        candidates=len(reports),
        warning=_warning(len(reports)),
        tasks=tasks,
    )


def _reports(team: Team, role: str) -> list[Report]:
    """Of all candidates of the role who have one that can be read."""
    found: list[Report] = []
    for record in team.packs():
        path = team.folder / "reports" / str(record.pack) / JSON_NAME
        if record.role != role or not path.is_file():
            continue
        try:
            found.append(read_report(path))
        except UnreadableReport:
            continue
    return found


def _matrices(reports: Sequence[Report], tasks: Sequence[str]) -> tuple[Floats, Floats, Floats]:
    """Points, open points and possible ones: candidates by tasks. A task that a report lacks has
    nothing settled.
    """
    shape = (len(reports), len(tasks))
    points, pending, possible = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    for row, report in enumerate(reports):
        for task in report.tasks:
            if task.task not in tasks:
                continue
            column = list(tasks).index(task.task)
            points[row, column] = task.points.low
            pending[row, column] = task.points.width
            possible[row, column] = task.possible
    return points, pending, possible


def _difficulty(share: Floats) -> Difficulty:
    settled = share[~np.isnan(share)]
    if settled.size == 0:
        return Difficulty(candidates=0, share=None, interval=None)
    mean = float(settled.mean())
    interval = None
    if settled.size >= _FEWEST:
        reach = _NORMAL_QUANTILE * float(settled.std(ddof=1)) / settled.size**0.5
        interval = Interval(low=max(0.0, mean - reach), high=min(1.0, mean + reach))
    return Difficulty(candidates=int(settled.size), share=mean, interval=interval)


def _time(reports: Sequence[Report], task: str, planned: float) -> Time:
    known = [
        found.active_minutes
        for report in reports
        for found in report.tasks
        if found.task == task and found.active_minutes is not None
    ]
    return Time(
        candidates=len(known),
        median=statistics.median(known) if known else None,
        shortest=min(known, default=None),
        longest=max(known, default=None),
        planned=planned,
    )


def _discrimination(points: Floats, pending: Floats, possible: Floats, task: int) -> Discrimination:
    found = item_statistics.discrimination(points, pending, possible, task)
    low, high = found.interval or (None, None)
    return Discrimination(
        candidates=found.learners, correlation=found.correlation, low=low, high=high
    )


def _remarks(
    task: curriculum.Task,
    difficulty: Difficulty,
    time: Time,
    telling: Discrimination,
    checks: CheckQuality | None,
) -> list[str]:
    """Only what holds at the far end of an interval, or was counted."""
    found: list[str] = []
    spread = difficulty.interval
    if spread is not None and difficulty.candidates >= FEW:
        if spread.low > 0.95:
            found.append("Nearly everybody earns all of it: it tells nobody apart.")
        if spread.high < 0.05:
            found.append("Nearly nobody earns any of it: it is too hard, or its check is wrong.")
    if telling.high is not None and telling.high < item_statistics.GOOD_CORRELATION:
        found.append("Who does well here does not do well elsewhere: look at the task.")
    if time.median is not None and time.median > 1.5 * time.planned:
        found.append(f"It takes longer than the {time.planned:g} minutes that candidates are told.")
    if checks is not None and checks.wrong_passed:
        found.append(f"A wrong answer passed: {', '.join(checks.wrong_passed)}.")
    if checks is not None and checks.reference_failed:
        found.append(f"The reference fell short: {', '.join(checks.reference_failed)}.")
    if checks is None and task.kind == "code":
        found.append("Its checks were never recorded: `hotloop takehome calibrate --measure`.")
    return found


def _warning(candidates: int) -> str:
    if candidates >= FEW:
        return ""
    if candidates == 0:
        return "There is no report yet: nothing is known of difficulty, time and discrimination."
    said = f"{candidates} candidate{'' if candidates == 1 else 's'}"
    return (
        f"From {said} only. Below {FEW} a correlation of 0.3 is within reach of chance: read "
        "difficulty and discrimination as hints, and judge no task and no candidate by them."
    )
