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
    judged = next((c for c in (record.checks if record else ()) if c.check == check.id), None)
    if judged is not None and judged.instrumented:
        return Points(points=Interval.exactly(0), possible=0.0)
    if judged is None or judged.verdict.pending:
        return open_points(worth)
    return Points(points=earned(judged).scaled(worth), possible=worth)


def open_points(worth: float) -> Points:
    """Return points of which nothing is known yet."""
    return Points(points=Interval(low=0, high=worth), possible=worth)


def share(checks: Iterable[Worth]) -> Interval | None:
    """Return the share of their points that checks earn, 0 to 1; None if none of them counts."""
    checks = list(checks)
    possible = sum(check.possible for check in checks)
    return total(check.points for check in checks).scaled(1 / possible) if possible else None


def weighted(shares: Iterable[tuple[Interval | None, float]]) -> Interval:
    """Return the weighted mean of shares as points of 100; 0 to 100 if none counts.

    shares: of tasks, as `share` returns them, with their weights.
    """
    counted = [(share, weight) for share, weight in shares if share is not None]
    whole = sum(weight for _, weight in counted)
    if not whole:
        return Interval(low=0, high=100)
    score = total(share.scaled(weight) for share, weight in counted).scaled(100 / whole)
    return Interval(low=score.low, high=min(100.0, score.high))


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
    fields = cast("Mapping[str, object]", level)
    needed, earned = fields.get("ratio"), fields.get("earned")
    if not isinstance(needed, int | float) or not isinstance(earned, int | float):
        return 0.0
    return float(earned) if ratio >= needed else 0.0
