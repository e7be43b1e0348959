"""Points of which only bounds are known, and rates of which only counts are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Annotated, Self

from pydantic import Field, model_validator

from hotloop.problem import Strict

_ERROR = 0.05
_NORMAL_QUANTILE = 1.959963984540054  # two-sided, for that error
_ROUNDING = 1e-9


class Interval(Strict):
    """From the lowest to the highest that is possible. Where nothing is open, both are the same."""

    low: Annotated[float, Field(ge=0)]
    high: Annotated[float, Field(ge=0)]

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.high < self.low - _ROUNDING:
            raise ValueError("`high` lies below `low`")
        return self

    @classmethod
    def exactly(cls, value: float) -> Self:
        """Nothing is open."""
        return cls(low=value, high=value)

    @property
    def width(self) -> float:
        """How much is open."""
        return self.high - self.low

    @property
    def settled(self) -> bool:
        """Whether nothing is open."""
        return self.width <= _ROUNDING

    def overlaps(self, other: Interval) -> bool:
        """Whether the two may be the same. Intervals that touch overlap."""
        return self.low <= other.high + _ROUNDING and other.low <= self.high + _ROUNDING

    def scaled(self, factor: float) -> Interval:
        """Both bounds times a factor that is not negative."""
        return Interval(low=self.low * factor, high=self.high * factor)


def total(intervals: Iterable[Interval]) -> Interval:
    """What all of them come to together."""
    found = list(intervals)
    return Interval(low=sum(i.low for i in found), high=sum(i.high for i in found))


def said(interval: Interval) -> str:
    """A score or points: `62`, `62.5`, or `62 to 78`.

    As `tenths` rounds it.
    """
    low, high = tenths(interval)
    return _said(low) if low == high else f"{_said(low)} to {_said(high)}"


def tenths(interval: Interval) -> tuple[int, int]:
    """The bounds in tenths, rounded away from each other where they differ: what is open is never
    shown as settled, nor as narrower than it is.
    """
    if interval.settled:
        settled = round(10 * interval.low)
        return settled, settled
    low = math.floor(10 * interval.low + _ROUNDING)
    return low, math.ceil(10 * interval.high - _ROUNDING)


def _said(count: int) -> str:
    whole, rest = divmod(count, 10)
    return f"{whole}.{rest}" if rest else f"{whole}"


def rate_interval(hits: float, trials: int) -> Interval | None:
    """Wilson's 95 % interval of a rate that was counted; None where nothing was tried.

    It says what few trials are worth: none of 10 leaves up to 28 % possible. hits: a count, or the
    sum of shares that lie between 0 and 1 each. Shares scatter no more than counts of the same
    mean, so that the interval is rather too wide for them.
    """
    if trials == 0:
        return None
    z2 = _NORMAL_QUANTILE**2
    share = hits / trials
    middle = share + z2 / (2 * trials)
    reach = _NORMAL_QUANTILE * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    scale = 1 + z2 / trials
    # At the ends rounding would leave a trace below 0 or above 1, or inside of them.
    low = 0.0 if hits == 0 else max(0.0, (middle - reach) / scale)
    high = 1.0 if hits == trials else min(1.0, (middle + reach) / scale)
    return Interval(low=low, high=high)


def median_interval(values: Sequence[float]) -> Interval | None:
    """The 95 % interval of a median, from one value that was seen to another, whatever their
    distribution; None for fewer than six, where even the extremes would be too close together.
    """
    ordered = sorted(values)
    count = len(ordered)
    rank, beyond = 0, 1 / 2**count
    while beyond <= _ERROR / 2:
        rank += 1
        beyond += math.comb(count, rank) / 2**count
    if rank == 0:
        return None
    return Interval(low=ordered[rank - 1], high=ordered[count - rank])
