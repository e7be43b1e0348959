"""Converts the judge's records to points with uncertainty.

A check that is not measured, undecided or affected by a judge error gives an interval from no
points to all points. A speed check earns from what the lower bound of its measured ratio reaches to
what the upper bound reaches. An `instrumented` check, measured in a process that also contained
other code of the candidate, does not count at all.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Protocol, cast

from pydantic import Field

from hotloop.core.document import Strict
from hotloop.core.intervals import Interval, total
from hotloop.core.record import CheckRecord, Record
from hotloop.tasks.problem import CheckEntry

BEST_MARK = 4
"""Highest mark of a rubric."""


class Points(Strict):
    """Points of a check, out of `possible`, which is 0 if the check does not count."""

    points: Interval
    possible: Annotated[float, Field(ge=0)]

    @property
    def counted(self) -> bool:
        """True if the check is part of the score."""
        return self.possible > 0

    @property
    def open(self) -> bool:
        """True if nothing about its points is known."""
        return self.points.width >= self.possible


class Worth(Protocol):
    """Something with points: `Points`, or a check of a report."""

    @property
    def points(self) -> Interval:
        """Points earned."""
        ...

    @property
    def possible(self) -> float:
        """Points that can be earned; 0 if it does not count."""
        ...


def check_score(check: CheckEntry, record: Record | None) -> Points:
    """Return the points of a check; without a verdict all of them are open."""
    worth = float(check.points)
    found = _spoken(check, record)
    if found is not None and found.instrumented:
        return Points(points=Interval.exactly(0), possible=0.0)
    if found is None or found.verdict.pending:
        return open_points(worth)
    return Points(points=earned(found).scaled(worth), possible=worth)


def open_points(worth: float) -> Points:
    """Return points of which nothing is known yet."""
    return Points(points=Interval(low=0, high=worth), possible=worth)


def share(checks: Iterable[Worth]) -> Interval | None:
    """Return the share of their points that checks earn, 0 to 1; None if none of them counts."""
    found = list(checks)
    possible = sum(check.possible for check in found)
    return total(check.points for check in found).scaled(1 / possible) if possible else None


def weighted(shares: Iterable[tuple[Interval | None, float]]) -> Interval:
    """Return the weighted mean of shares as points of 100; 0 to 100 if none counts.

    shares: of tasks, as `share` returns them, with their weights.
    """
    counted = [(found, weight) for found, weight in shares if found is not None]
    whole = sum(weight for _, weight in counted)
    if not whole:
        return Interval(low=0, high=100)
    found = total(found.scaled(weight) for found, weight in counted).scaled(100 / whole)
    return Interval(low=found.low, high=min(100.0, found.high))


def _spoken(check: CheckEntry, record: Record | None) -> CheckRecord | None:
    if record is None:
        return None
    return next((found for found in record.checks if found.check == check.id), None)


def earned(record: CheckRecord) -> Interval:
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
