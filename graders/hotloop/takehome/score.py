"""From the judge's records to points with their uncertainty.

What is not measured, undecided or lost by a fault of the judge's makes an interval: from "all of it
would be lost" to "all of it would be earned". A speed rung earns from what the lower bound of its
measured ratio reaches to what the upper one does. What is `instrumented`, measured in a process
that also held other code of the candidate's, counts neither way.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from hotloop.core.record import Record, RungRecord
from hotloop.curriculum import Task
from hotloop.problem import Rung
from hotloop.takehome.intervals import Interval

BEST_MARK = 4
"""Of a rubric for what a person reads."""


@dataclass(frozen=True)
class RungScore:
    """points: of `possible`, which is 0 where the rung does not count."""

    points: Interval
    possible: float

    @property
    def counted(self) -> bool:
        """Whether it has a part in the score."""
        return self.possible > 0


def rung_score(rung: Rung, record: Record | None) -> RungScore:
    """What a rung of a task earns. Silence of the judge is no evidence: all of it is open."""
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
    """What a person's mark, 0 to 4, earns; all of it is open before there is one."""
    worth = float(task.points)
    if mark is None:
        return RungScore(Interval(low=0, high=worth), worth)
    return RungScore(Interval.exactly(worth * mark / BEST_MARK), worth)


def weighted(shares: Sequence[tuple[Interval, float]]) -> Interval:
    """Shares, 0 to 1, by their weights, as points of 100. Without any weight all is open."""
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
    """The share of a settled rung's points, 0 to 1."""
    upper = _by_upper_bound(record.evidence)
    return Interval(low=record.earned, high=max(record.earned, upper))


def _by_upper_bound(evidence: Mapping[str, Any]) -> float:
    """The share that the upper bound of a measured ratio would earn; 0 where none was measured."""
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
