"""Calibrates a role's tasks: difficulty, time needed, discrimination, and quality of the checks.

It uses reports on past candidates in the team's folder, and recorded verdicts on the module's
reference and wrong answers. Deleted candidates do not count.
"""

import statistics
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.core.document import Identifier, Strict
from hotloop.core.intervals import Interval, median_interval
from hotloop.course import item_statistics
from hotloop.course.item_statistics import GOOD_CORRELATION, Difficulty, Discrimination
from hotloop.learn.pack.manifest import RoleId
from hotloop.takehome import quality, scorecard
from hotloop.takehome.report import (
    CheckQuality,
    TakehomeReport,
    TaskReport,
    UnreadableReport,
)
from hotloop.takehome.report_digests import OwnReports
from hotloop.takehome.score import BEST_MARK
from hotloop.takehome.scorecard import Scorecard, ScorecardError, written_marks
from hotloop.takehome.team import Team
from hotloop.tasks.curriculum import Task

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Past:
    """A past candidate. card: the filed scorecard; None if it is missing or damaged."""

    report: TakehomeReport
    card: Scorecard | None

    @property
    def filed(self) -> bool:
        """True if a person has marked the submission that the report is about."""
        return self.card is not None and self.card.submission == self.report.submission.digest


@dataclass(frozen=True)
class PointMatrix:
    """Points as arrays of shape (candidates, tasks); `possible` is 0 if a report lacks a task."""

    earned: Floats
    pending: Floats
    possible: Floats


def task_points(past: Sequence[Past], tasks: Sequence[str]) -> PointMatrix:
    """Return points by candidate and task: the middle of the interval if settled, else pending.

    A written task counts once the scorecard is filed, even if the answer is empty. If it counted
    earlier, only empty answers would be settled, and they would represent everybody.
    """
    shape = (len(past), len(tasks))
    earned, pending, possible = np.zeros(shape), np.zeros(shape), np.zeros(shape)
    columns = {task: column for column, task in enumerate(tasks)}
    for row, one in enumerate(past):
        marks = written_marks(one.card, one.report)
        for task in one.report.tasks:
            column = columns.get(task.task)
            if column is None:
                continue
            if task.kind == "written":
                points = _points_written(task, marks.get(task.task), filed=one.filed)
            else:
                points = _points_judged(task)
            earned[row, column], pending[row, column] = points
            possible[row, column] = task.possible
    return PointMatrix(earned, pending, possible)


def _points_written(task: TaskReport, mark: Interval | None, *, filed: bool) -> tuple[float, float]:
    """Return earned and pending points of a written task."""
    if not filed or (task.answer is not None and mark is None):
        return 0.0, task.possible
    if task.answer is None or mark is None:
        return 0.0, 0.0
    return task.possible * (mark.low + mark.high) / 2 / BEST_MARK, 0.0


def _points_judged(task: TaskReport) -> tuple[float, float]:
    """Return earned and pending points of a judged task."""
    checks = [check for check in task.checks if check.counted]
    settled = [check.points for check in checks if not check.verdict.pending]
    earned = sum((points.low + points.high) / 2 for points in settled)
    return earned, sum(check.possible for check in checks if check.verdict.pending)


FEW = item_statistics.fewest_learners()
"""Fewer candidates than this say little about a task's difficulty and discrimination."""


class Time(Strict):
    """Active minutes according to work logs. planned: what the role tells candidates.

    interval: 95 %, of the median; None for too few logs.
    """

    candidates: int
    median: float | None
    interval: Interval | None
    shortest: float | None
    longest: float | None
    planned: float


def time_of(minutes: Sequence[float], planned: float) -> Time:
    """Summarize the active minutes of candidates whose work log has them."""
    return Time(
        candidates=len(minutes),
        median=statistics.median(minutes) if minutes else None,
        interval=median_interval(minutes),
        shortest=min(minutes, default=None),
        longest=max(minutes, default=None),
        planned=planned,
    )


_LONGER = 1.5


class TaskCalibration(Strict):
    """Calibration of one task. remarks: sentences on what the team should look at."""

    task: Identifier
    title: str
    weight: float
    difficulty: Difficulty
    time: Time
    discrimination: Discrimination
    check_quality: CheckQuality | None
    remarks: list[str]


class Calibration(Strict):
    """Calibration of a role. warning: "" if there are enough candidates."""

    role: RoleId
    module: Identifier
    candidates: int
    warning: str
    tasks: list[TaskCalibration]


def calibrate(team: Team, role: str) -> Calibration:
    """Calibrate a role with the data so far. Raises TeamError if there is no such role."""
    spec = team.role(role)
    module = spec.definition()
    past = _past(team, role)
    points = task_points(past, [task.id for task in spec.chosen()])
    share = item_statistics.shares(points.earned, points.pending, points.possible)
    weights = {task.task: task.weight for task in spec.tasks}
    planned = spec.pack_tasks(1.0)
    tasks: list[TaskCalibration] = []
    for number, task in enumerate(spec.chosen()):
        difficulty = item_statistics.difficulty(share[:, number])
        time = time_of(_minutes(past, task.id), planned[task.id].minutes)
        discrimination = item_statistics.discrimination(
            points.earned, points.pending, points.possible, number
        )
        checks = quality.of_task(team, module, task)
        notes = remarks(task, difficulty, time, discrimination, checks)
        if task.kind == "written":
            notes += _unmarked(past, task.id)
        tasks.append(
            TaskCalibration(
                task=task.id,
                title=task.title,
                weight=weights[task.id],
                difficulty=difficulty,
                time=time,
                discrimination=discrimination,
                check_quality=checks,
                remarks=notes,
            )
        )
    return Calibration(
        role=spec.role,
        module=module.id,
        candidates=len(past),
        warning=_warning(len(past)),
        tasks=tasks,
    )


def _past(team: Team, role: str) -> list[Past]:
    """Return the candidates of the role whose report is readable and unmodified."""
    past: list[Past] = []
    own = OwnReports(team)
    for record in team.packs():
        path = team.report_path(record.pack)
        if record.role != role or not path.is_file():
            continue
        try:
            report = own.read(path)
        except UnreadableReport:
            continue
        card = None
        with suppress(ScorecardError):
            card = scorecard.read(team, record.pack)
        past.append(Past(report, card))
    return past


def _minutes(past: Sequence[Past], task: str) -> list[float]:
    return [
        report.active_minutes
        for one in past
        for report in one.report.tasks
        if report.task == task and report.active_minutes is not None
    ]


def _unmarked(past: Sequence[Past], task: str) -> list[str]:
    reports = [one for one in past if any(t.task == task for t in one.report.tasks)]
    filed = sum(one.filed for one in reports)
    if filed == len(reports):
        return []
    return [f"Only candidates whose scorecard is filed count here: {filed} of {len(reports)}."]


def _warning(candidates: int) -> str:
    if candidates >= FEW:
        return ""
    if candidates == 0:
        return "There is no report yet: nothing is known of difficulty, time and discrimination."
    count = f"{candidates} candidate{'' if candidates == 1 else 's'}"
    return (
        f"From {count} only. Below {FEW} a correlation of 0.3 is within reach of chance: read "
        "difficulty and discrimination as hints, and judge no task and no candidate by them."
    )


def remarks(
    task: Task,
    difficulty: Difficulty,
    time: Time,
    discrimination: Discrimination,
    checks: CheckQuality | None,
) -> list[str]:
    """Return remarks that hold at the far end of an interval, or were counted."""
    return [
        *_on_difficulty(task, difficulty),
        *_on_discrimination(discrimination),
        *_on_time(time),
        *_on_checks(task, checks),
    ]


def _on_difficulty(task: Task, difficulty: Difficulty) -> Iterator[str]:
    if difficulty.interval is None or difficulty.count < FEW:
        return
    if difficulty.interval.low > 0.95:
        yield "Nearly everybody earns all of it: it tells nobody apart."
    if difficulty.interval.high < 0.05:
        why = "it is too hard, or its check is wrong" if task.kind == "code" else "it is too hard"
        yield f"Nearly nobody earns any of it: {why}."


def _on_discrimination(discrimination: Discrimination) -> Iterator[str]:
    if discrimination.interval is None or discrimination.count < FEW:
        return
    if discrimination.interval[1] < GOOD_CORRELATION:
        yield "Who does well here does not do well elsewhere: look at the task."


def _on_time(time: Time) -> Iterator[str]:
    if time.interval is not None and time.interval.low > _LONGER * time.planned:
        yield (
            f"By {time.candidates} work logs it takes longer than the {time.planned:g} minutes "
            "that candidates are told."
        )


def _on_checks(task: Task, checks: CheckQuality | None) -> Iterator[str]:
    if checks is None:
        if task.kind == "code":
            yield "Its checks were never recorded: `hotloop takehome calibrate --measure`."
        return
    if checks.wrong_passed:
        yield f"A wrong answer passed: {', '.join(checks.wrong_passed)}."
    if checks.reference_failed:
        yield f"The reference fell short: {', '.join(checks.reference_failed)}."
