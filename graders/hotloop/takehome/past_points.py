"""Past candidates' points by task: what was earned, what is open, and what could be earned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.takehome.report import Report, TaskReport
from hotloop.takehome.score import BEST_MARK
from hotloop.takehome.scorecard import Scorecard, written_marks

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Past:
    """One candidate. card: what a person filed, None before that."""

    report: Report
    card: Scorecard | None

    @property
    def filed(self) -> bool:
        """Whether a person has marked what the report is about."""
        return self.card is not None and self.card.submission == self.report.submission.digest


@dataclass(frozen=True)
class Points:
    """All three: candidates by tasks. Where a report lacks a task, nothing is possible."""

    earned: Floats
    pending: Floats
    possible: Floats


def points(past: Sequence[Past], tasks: Sequence[str]) -> Points:
    """What was measured counts by the middle of its interval; what was not is pending.

    A written task counts once the scorecard is filed, whether anything was written or not: counted
    earlier, those who left it blank would stand for everybody.
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
                found = _written(task, marks.get(task.task), filed=one.filed)
            else:
                found = _judged(task)
            earned[row, column], pending[row, column] = found
            possible[row, column] = task.possible
    return Points(earned, pending, possible)


def _written(task: TaskReport, mark: int | None, *, filed: bool) -> tuple[float, float]:
    """Earned and pending."""
    if not filed or (task.answer is not None and mark is None):
        return 0.0, task.possible
    if task.answer is None or mark is None:
        return 0.0, 0.0
    return task.possible * mark / BEST_MARK, 0.0


def _judged(task: TaskReport) -> tuple[float, float]:
    """Earned and pending."""
    counted = [rung for rung in task.rungs if rung.counted]
    settled = [rung.points for rung in counted if not rung.verdict.pending]
    earned = sum((found.low + found.high) / 2 for found in settled)
    return earned, sum(rung.possible for rung in counted if rung.verdict.pending)
