"""Intervals for points with known bounds, for rates from counts, and for ratios of times.

The judge process uses them too, and has no pydantic; a field of a pydantic model can be one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Self

_ERROR = 0.05
_NORMAL_QUANTILE = 1.959963984540054  # two-sided, for that error
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Interval:
    """Lowest and highest possible value, neither negative; both are equal if nothing is open."""

    low: float
    high: float

    def __post_init__(self) -> None:
        if self.low < 0:
            raise ValueError(f"`low` is negative: {self.low}")
        if self.high < self.low - _ROUNDING:
            raise ValueError(f"`high` lies below `low`: {self.high} < {self.low}")

    @classmethod
    def exactly(cls, value: float) -> Self:
        """Return an interval of a single value."""
        return cls(low=value, high=value)

    @property
    def width(self) -> float:
        """Difference of the bounds."""
        return self.high - self.low

    @property
    def settled(self) -> bool:
        """True if both bounds are equal."""
        return self.width <= _ROUNDING

    def overlaps(self, other: Interval) -> bool:
        """True if the two values may be equal. Touching intervals overlap."""
        return self.low <= other.high + _ROUNDING and other.low <= self.high + _ROUNDING

    def scaled(self, factor: float) -> Interval:
        """Multiply both bounds by a non-negative factor."""
        return Interval(low=self.low * factor, high=self.high * factor)


def total(intervals: Iterable[Interval]) -> Interval:
    """Return the sum of intervals."""
    terms = list(intervals)
    return Interval(low=sum(i.low for i in terms), high=sum(i.high for i in terms))


def said(interval: Interval) -> str:
    """Format a score or points: `62`, `62.5`, or `62 to 78`, rounded as by `tenths`."""
    low, high = tenths(interval)
    return _said(low) if low == high else f"{_said(low)} to {_said(high)}"


def tenths(interval: Interval) -> tuple[int, int]:
    """Return the bounds in tenths.

    Different bounds are rounded outward, so that an open interval is never shown as settled or too
    narrow.
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
    """Return Wilson's 95 % interval of a rate, or None without trials.

    0 of 10, for example, leaves up to 28 % possible. hits: a count, or a sum of shares between 0
    and 1. Shares vary no more than counts with the same mean, so the interval is conservative for
    them.
    """
    if trials == 0:
        return None
    z2 = _NORMAL_QUANTILE**2
    share = hits / trials
    middle = share + z2 / (2 * trials)
    reach = _NORMAL_QUANTILE * math.sqrt(share * (1 - share) / trials + z2 / (4 * trials**2))
    scale = 1 + z2 / trials
    # At the extremes, rounding could give values outside of 0 and 1, or inside of the exact bound.
    low = 0.0 if hits == 0 else max(0.0, (middle - reach) / scale)
    high = 1.0 if hits == trials else min(1.0, (middle + reach) / scale)
    return Interval(low=low, high=high)


def highest_rate(hits: int, trials: int) -> float:
    """Return the upper 95 % bound of a rate after Clopper and Pearson; 1 without trials.

    The highest rate at which so few hits or fewer still have a chance of 5 %: with 0 of 100, it is
    2.95 %.
    """
    if hits >= trials:
        return 1.0
    low, high = 0.0, 1.0
    for _ in range(60):
        rate = (low + high) / 2
        if _at_most(hits, trials, rate) > _ERROR:
            low = rate
        else:
            high = rate
    return high


def _at_most(hits: int, trials: int, rate: float) -> float:
    """Return the chance of at most so many hits. rate: strictly between 0 and 1."""
    inside, outside = math.log(rate), math.log1p(-rate)
    every = math.lgamma(trials + 1)
    return sum(
        math.exp(
            every
            - math.lgamma(count + 1)
            - math.lgamma(trials - count + 1)
            + count * inside
            + (trials - count) * outside
        )
        for count in range(hits + 1)
    )


def median_interval(values: Sequence[float]) -> Interval | None:
    """Return the distribution-free 95 % interval of a median, between two observed values.

    Returns None for fewer than six values, for which even the extremes are not far enough apart.
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
