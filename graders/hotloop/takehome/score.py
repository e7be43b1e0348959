"""Converts the judge's records to points with uncertainty.

A check that is not measured, undecided or affected by a judge error gives an interval from no
points to all points. A speed check earns from what the lower bound of its measured ratio reaches to
what the upper bound reaches. An `instrumented` check, measured in a process that also contained
other code of the candidate, does not count at all.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hotloop.core.record import Record, RungRecord
from hotloop.curriculum import Task
from hotloop.problem import Rung
from hotloop.takehome.intervals import Interval

BEST_MARK = 4
"""Highest mark of a rubric."""


@dataclass(frozen=True)
class RungScore:
    """Points of a check, out of `possible`, which is 0 if the check does not count."""

    points: Interval
    possible: float

    @property
    def counted(self) -> bool:
        """True if the check is part of the score."""
        return self.possible > 0


def rung_score(rung: Rung, record: Record | None) -> RungScore:
    """Return the points of a check; without a verdict all of them are open."""
    worth = float(rung.points)
    found = _spoken(rung, record)
    if found is None:
        return RungScore(Interval(low=0, high=worth), worth)
    if found.instrumented:
        return RungScore(Interval.exactly(0), 0.0)
    if found.verdict.pending:
        return RungScore(Interval(low=0, high=worth), worth)
    return RungScore(earned(found).scaled(worth), worth)


def written_score(task: Task, mark: float | None) -> RungScore:
    """Return the points for a mark of 0 to 4; without a mark all of them are open."""
    worth = float(task.points)
    if mark is None:
        return RungScore(Interval(low=0, high=worth), worth)
    return RungScore(Interval.exactly(worth * mark / BEST_MARK), worth)


def weighted(shares: Sequence[tuple[Interval, float]]) -> Interval:
    """Return the weighted mean of shares (0 to 1) as points of 100; 0 to 100 without weights."""
    weight = sum(w for _, w in shares)
    if not weight:
        return Interval(low=0, high=100)
    low = sum(share.low * w for share, w in shares) / weight
    high = sum(share.high * w for share, w in shares) / weight
    return Interval(low=100 * low, high=100 * min(1.0, high))


def _spoken(rung: Rung, record: Record | None) -> RungRecord | None:
    if record is None:
        return None
    return next((found for found in record.rungs if found.rung == rung.id), None)


def earned(record: RungRecord) -> Interval:
    """Return the share of points that a settled check earns, 0 to 1."""
    upper = _by_upper_bound(record.evidence)
    return Interval(low=record.earned, high=max(record.earned, upper))


def _by_upper_bound(evidence: Mapping[str, Any]) -> float:
    """Return the share that the ratio's upper bound would earn; 0 if no ratio was measured."""
    bounds, levels = evidence.get("interval"), evidence.get("levels")
    if not isinstance(bounds, list | tuple) or not isinstance(levels, list | tuple):
        return 0.0
    numbers = [n for n in cast("Sequence[Any]", bounds) if isinstance(n, int | float)]
    if len(numbers) != 2:
        return 0.0
    reached = [_share(level, numbers[1]) for level in cast("Sequence[object]", levels)]
    return max(reached, default=0.0)


def _share(level: object, ratio: float) -> float:
    if not isinstance(level, Mapping):
        return 0.0
    known = cast("Mapping[str, object]", level)
    asked, earned = known.get("ratio"), known.get("earned")
    if not isinstance(asked, int | float) or not isinstance(earned, int | float):
        return 0.0
    return float(earned) if ratio >= asked else 0.0
