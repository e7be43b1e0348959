"""What stands at the top of a report: what went well, and where points were lost."""

from __future__ import annotations

from collections.abc import Sequence

from hotloop.takehome.report import RungReport, TaskReport

MOST = 5
_GOOD = 0.9


def strengths(tasks: Sequence[TaskReport]) -> list[str]:
    """Tasks of which all that was measured passed, and rungs that passed in others; by weight."""
    found: list[tuple[float, str]] = []
    for task in tasks:
        if task.kind == "written" or not task.possible:
            continue
        passed = [r for r in task.rungs if r.counted and not r.verdict.pending and _earned(r)]
        failed = [r for r in task.rungs if r.counted and not r.verdict.pending and not _earned(r)]
        if not passed:
            continue
        worth = task.weight * sum(r.points.low for r in passed) / task.possible
        found.append((worth, _said(task, passed, whole=not failed)))
    found.sort(key=lambda pair: -pair[0])
    return [said for _, said in found[:MOST]]


def weak_spots(tasks: Sequence[TaskReport]) -> list[str]:
    """Rungs at which points were lost for certain, by weight; one a task, the first that failed."""
    found: list[tuple[float, str]] = []
    for task in tasks:
        lost = [r for r in task.rungs if r.counted and r.points.high < r.possible * _GOOD]
        if not lost:
            continue
        worth = task.weight * sum(r.possible - r.points.high for r in lost) / task.possible
        found.append((worth, f"{task.title} ({lost[0].rung}): {lost[0].sentence}"))
    found.sort(key=lambda pair: -pair[0])
    return [said for _, said in found[:MOST]]


def _earned(rung: RungReport) -> bool:
    return rung.points.low >= rung.possible * _GOOD


def _said(task: TaskReport, passed: Sequence[RungReport], *, whole: bool) -> str:
    names = ", ".join(rung.rung for rung in passed)
    if whole:
        return f"{task.title}: all that was measured passed ({names})."
    return f"{task.title}: {names} passed."
