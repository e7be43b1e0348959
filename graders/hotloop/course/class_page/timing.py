"""How long judging took, task by task and rung by rung, from the records."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.core.record import JUDGING_SECONDS
from hotloop.course.class_page.marks import Mark


@dataclass(frozen=True)
class Timing:
    """Seconds that judging one task took, or one of its rungs; rung is empty for the whole task."""

    task: str
    rung: str
    count: int
    median: float
    p90: float
    longest: float
    total: float


def timings(marks: Iterable[Mark]) -> list[Timing]:
    """The task that took the most time first, and below each its rungs, where records time them."""
    tasks: dict[str, list[float]] = {}
    rungs: dict[str, dict[str, list[float]]] = {}
    for mark in marks:
        if mark.record is None or mark.record.circumstances.seconds <= 0:
            continue
        tasks.setdefault(mark.task, []).append(mark.record.circumstances.seconds)
        for rung in mark.record.rungs:
            taken = rung.evidence.get(JUDGING_SECONDS)
            if isinstance(taken, int | float):
                rungs.setdefault(mark.task, {}).setdefault(rung.rung, []).append(float(taken))
    found: list[Timing] = []
    for task, seconds in sorted(tasks.items(), key=lambda item: -sum(item[1])):
        found.append(timing(task, "", seconds))
        below = [timing(task, rung, each) for rung, each in rungs.get(task, {}).items()]
        found += sorted(below, key=lambda rung: -rung.total)
    return found


def timing(task: str, rung: str, seconds: Sequence[float]) -> Timing:
    """Of at least one judging."""
    taken = np.asarray(seconds, np.float64)
    return Timing(
        task,
        rung,
        len(seconds),
        float(np.median(taken)),
        float(np.quantile(taken, 0.9)),
        float(taken.max()),
        float(taken.sum()),
    )
