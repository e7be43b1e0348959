"""Levels of a speed check, and what an interval says about them."""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from hotloop.judge.statistics import Estimate

TOTAL_TIME_MARGIN = 0.95
"""The ratio of total times must reach this share of a level: medians alone hide slow windows."""


@dataclass(frozen=True)
class Level:
    """A speed-up and the share of the rung's points that it earns (0 for a stretch goal)."""

    ratio: float
    earned: float


class Standing(StrEnum):
    """What is known of one level."""

    REACHED = "reached"
    MISSED = "missed"
    OPEN = "open"


def standing(level: Level, figure: Estimate) -> Standing:
    """Reached when the whole interval lies above the level, missed when it lies below."""
    if figure.interval.high < level.ratio:
        return Standing.MISSED
    if figure.interval.low < level.ratio:
        return Standing.OPEN
    return (
        Standing.REACHED if figure.total_ratio >= TOTAL_TIME_MARGIN * level.ratio else Standing.OPEN
    )


def decided(levels: Sequence[Level], figure: Estimate) -> bool:
    """True when nothing is left open among the levels that earn points."""
    return all(standing(level, figure) is not Standing.OPEN for level in levels if level.earned > 0)


def earned(levels: Sequence[Level], figure: Estimate) -> float:
    """Share of the points: that of the highest level reached."""
    reached = [lv.earned for lv in levels if standing(lv, figure) is Standing.REACHED]
    return max(reached, default=0.0)
