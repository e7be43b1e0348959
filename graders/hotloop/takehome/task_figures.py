"""A task's figures from past candidates, with their intervals: how hard, how long, how telling."""

from __future__ import annotations

import statistics
from collections.abc import Sequence

import numpy as np

from hotloop.course import item_statistics
from hotloop.problem import Strict
from hotloop.takehome.intervals import Interval, median_interval, rate_interval
from hotloop.takehome.past_points import Floats, Points

FEW = item_statistics.fewest_learners()
"""Candidates below which difficulty and discrimination say little about a task."""


class Difficulty(Strict):
    """share: mean of the settled points that candidates earned, 0 to 1, with a 95 % interval that
    holds for few candidates too. candidates: of whom it is the mean.
    """

    candidates: int
    share: float | None
    interval: Interval | None


class Time(Strict):
    """Active minutes by the work logs. planned: what the role tells candidates. interval: 95 %, of
    the median; None for too few logs.
    """

    candidates: int
    median: float | None
    interval: Interval | None
    shortest: float | None
    longest: float | None
    planned: float


class Discrimination(Strict):
    """Correlation of a task with all the others, and its 95 % interval."""

    candidates: int
    correlation: float | None
    low: float | None
    high: float | None


def difficulty(share: Floats) -> Difficulty:
    """From each candidate's share; NaN where nothing is settled."""
    settled = share[~np.isnan(share)]
    count = int(settled.size)
    mean = float(settled.mean()) if count else None
    return Difficulty(
        candidates=count, share=mean, interval=rate_interval(float(settled.sum()), count)
    )


def time(minutes: Sequence[float], planned: float) -> Time:
    """From the minutes of those whose work log says them."""
    return Time(
        candidates=len(minutes),
        median=statistics.median(minutes) if minutes else None,
        interval=median_interval(minutes),
        shortest=min(minutes, default=None),
        longest=max(minutes, default=None),
        planned=planned,
    )


def discrimination(points: Points, task: int) -> Discrimination:
    """Over candidates with settled points in the task and in others."""
    found = item_statistics.discrimination(points.earned, points.pending, points.possible, task)
    low, high = found.interval or (None, None)
    return Discrimination(
        candidates=found.learners, correlation=found.correlation, low=low, high=high
    )
