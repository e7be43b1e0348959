"""What a role's tasks have shown themselves to be: how hard, how long, how telling, how checked.

From the reports on past candidates that are in the team's folder, and from what is recorded about
the module's reference and wrong answers. What was deleted of a candidate counts no more.
"""

from __future__ import annotations

from collections.abc import Sequence

from hotloop.course import item_statistics
from hotloop.problem import Identifier, Strict
from hotloop.takehome import measured_quality, past_points, scorecard, task_figures
from hotloop.takehome.manifest import RoleId
from hotloop.takehome.past_points import Past
from hotloop.takehome.report import JSON_NAME, CheckQuality, UnreadableReport
from hotloop.takehome.scorecard import Scorecard, ScorecardError
from hotloop.takehome.task_figures import FEW, Difficulty, Discrimination, Time
from hotloop.takehome.task_remarks import remarks
from hotloop.takehome.team import PackRecord, Team
from hotloop.takehome.written_here import OwnReports


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
    past = _past(team, role)
    points = past_points.points(past, [task.id for task in found.chosen()])
    share = item_statistics.shares(points.earned, points.pending, points.possible)
    weights = {task.task: task.weight for task in found.tasks}
    planned = found.pack_tasks(1.0)
    tasks: list[TaskCalibration] = []
    for number, task in enumerate(found.chosen()):
        difficulty = task_figures.difficulty(share[:, number])
        time = task_figures.time(_minutes(past, task.id), planned[task.id].minutes)
        telling = task_figures.discrimination(points, number)
        checks = measured_quality.of_task(team, module, task)
        said = remarks(task, difficulty, time, telling, checks)
        if task.kind == "written":
            said += _unmarked(past, task.id)
        tasks.append(
            TaskCalibration(
                task=task.id,
                title=task.title,
                weight=weights[task.id],
                difficulty=difficulty,
                time=time,
                discrimination=telling,
                checks=checks,
                remarks=said,
            )
        )
    return Calibration(
        role=found.role,
        module=module.id,
        candidates=len(past),
        warning=_warning(len(past)),
        tasks=tasks,
    )


def _past(team: Team, role: str) -> list[Past]:
    """All candidates of the role who have a report that can be read and was not altered."""
    found: list[Past] = []
    own = OwnReports(team)
    for record in team.packs():
        path = team.folder / "reports" / str(record.pack) / JSON_NAME
        if record.role != role or not path.is_file():
            continue
        try:
            found.append(Past(own.read(path), _card(team, record)))
        except UnreadableReport:
            continue
    return found


def _card(team: Team, record: PackRecord) -> Scorecard | None:
    """A damaged one counts as none."""
    try:
        return scorecard.read(team, record.pack)
    except ScorecardError:
        return None


def _minutes(past: Sequence[Past], task: str) -> list[float]:
    return [
        found.active_minutes
        for one in past
        for found in one.report.tasks
        if found.task == task and found.active_minutes is not None
    ]


def _unmarked(past: Sequence[Past], task: str) -> list[str]:
    given = [one for one in past if any(t.task == task for t in one.report.tasks)]
    filed = sum(one.filed for one in given)
    if filed == len(given):
        return []
    return [f"Only candidates whose scorecard is filed count here: {filed} of {len(given)}."]


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
