"""Time spent judging each task and check, from the records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.core.record import JUDGING_SECONDS
from hotloop.course.class_page.marks import TaskMark


@dataclass(frozen=True)
class Timing:
    """Seconds for judging a task or a check of it; check is "" for the whole task."""

    task: str
    check: str
    count: int
    median: float
    p90: float
    longest: float
    total: float


def timings(marks: Iterable[TaskMark]) -> list[Timing]:
    """Return timings, the slowest task first, followed by its checks if they were timed."""
    tasks: dict[str, list[float]] = {}
    checks: dict[str, dict[str, list[float]]] = {}
    for mark in marks:
        if mark.record is None or mark.record.circumstances.seconds <= 0:
            continue
        tasks.setdefault(mark.task, []).append(mark.record.circumstances.seconds)
        for check in mark.record.checks:
            taken = check.evidence.get(JUDGING_SECONDS)
            if isinstance(taken, int | float):
                checks.setdefault(mark.task, {}).setdefault(check.check, []).append(float(taken))
    result: list[Timing] = []
    for task, seconds in sorted(tasks.items(), key=lambda item: -sum(item[1])):
        result.append(timing(task, "", seconds))
        below = [timing(task, check, each) for check, each in checks.get(task, {}).items()]
        result += sorted(below, key=lambda check: -check.total)
    return result


def timing(task: str, check: str, seconds: Sequence[float]) -> Timing:
    """Summarize the durations of at least one judging."""
    taken = np.asarray(seconds, np.float64)
    return Timing(
        task,
        check,
        len(seconds),
        float(np.median(taken)),
        float(np.quantile(taken, 0.9)),
        float(taken.max()),
        float(taken.sum()),
    )
