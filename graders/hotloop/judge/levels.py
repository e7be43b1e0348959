"""Levels that earn points, and whether a measured speedup or a count reaches them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from hotloop.judge.statistics import Estimate

TOTAL_TIME_MARGIN = 0.97
"""The ratio of total times must reach this share of a level, since medians alone hide slow windows.

The rest allows for a disturbed window that was not noticed.
"""


@dataclass(frozen=True)
class Level:
    """A speedup and the share of the check's points that it earns (0 for a stretch goal)."""

    ratio: float
    earned: float


@dataclass(frozen=True)
class CountLimit:
    """A count that earns `earned`, a share of the points: at most `factor` × reference + `plus`."""

    factor: float
    earned: float
    plus: float = 0.0

    def most(self, reference: float) -> float:
        """Return the largest count that is within the limit. reference: what is multiplied."""
        return self.factor * reference + self.plus


def within(limits: Sequence[CountLimit], count: float, reference: float = 1.0) -> float:
    """Return the share of the points that `count` earns; 0 beyond all limits."""
    return max((at.earned for at in limits if count <= at.most(reference)), default=0.0)


def lowered(levels: Sequence[Level], reachable: float, declared: float) -> tuple[Level, ...]:
    """Return the levels for a machine on which a strong baseline is `reachable` times as fast.

    declared: the same figure on the machine that the levels are for. A level stays at the same
    share of the way from the baseline to the strong one, on a logarithmic scale, and never rises.
    """
    share = min(1.0, math.log(reachable) / math.log(declared))
    return tuple(Level(level.ratio**share, level.earned) for level in levels)


class LevelState(StrEnum):
    """Whether one level is reached, missed or still open."""

    REACHED = "reached"
    MISSED = "missed"
    OPEN = "open"


def state_of(level: Level, figure: Estimate) -> LevelState:
    """Return REACHED if both intervals lie above what the level asks for.

    MISSED if one of them lies below, OPEN otherwise. Medians alone hide slow windows; totals alone
    hide whether the code or a few disturbed windows were slow. So at an early look the total alone
    does not decide, and no points are earned: who is fast in the first windows only would gain.
    """
    total = TOTAL_TIME_MARGIN * level.ratio
    if figure.interval.high < level.ratio:
        return LevelState.MISSED
    if figure.total_interval.high < total and not figure.early:
        return LevelState.MISSED
    if figure.interval.low < level.ratio or figure.total_interval.low < total:
        return LevelState.OPEN
    return LevelState.OPEN if figure.early and level.earned > 0 else LevelState.REACHED


def decided(levels: Sequence[Level], figure: Estimate) -> bool:
    """Return True if no level that earns points is open."""
    return all(
        state_of(level, figure) is not LevelState.OPEN for level in levels if level.earned > 0
    )


def stands(levels: Sequence[Level], figure: Estimate, times: float) -> bool:
    """Return True if every level that earns points is decided alike for a baseline off by `times`.

    It may be so many times slower or faster than it should be.
    """
    figure = replace(figure, early=0)  # for what was decided, the look was not too early
    return all(
        state_of(Level(level.ratio / times, level.earned), figure)
        is state_of(Level(level.ratio * times, level.earned), figure)
        is not LevelState.OPEN
        for level in levels
        if level.earned > 0
    )


def earned(levels: Sequence[Level], figure: Estimate) -> float:
    """Return the share of the points that the highest reached level earns."""
    reached = [lv.earned for lv in levels if state_of(lv, figure) is LevelState.REACHED]
    return max(reached, default=0.0)
