"""What a class's points say about its tasks: how hard each is, and whether it tells learners apart.

Rows are learners, columns are tasks. A learner's share of a task is that of the points that are
settled: what is pending counts neither for nor against anybody.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ERROR = 0.05
RESAMPLES = 2000
SEED = 20240229
"""Of the resampling: the same points give the same page."""

GOOD_CORRELATION = 0.3
"""From here on a task is commonly said to tell learners apart well."""

_NORMAL_QUANTILE = 1.959963984540054  # two-sided, for an error of 5 %
_FEWEST = 3  # two learners always lie on a line
_MOSTLY = 0.9  # of the resamples must have a correlation, or their quantiles mean nothing
_AT_ONCE = 1 << 22  # numbers in one block of resamples: 32 MiB
_FLAT = 1e-9  # variance of a standardized column that only rounding separates from none


@dataclass(frozen=True)
class Difficulty:
    """mean: share of the settled points, 0 to 1; None when nothing is settled.

    learners: those with settled points, over whom it is taken.
    """

    mean: float | None
    learners: int


@dataclass(frozen=True)
class Discrimination:
    """Correlation of a task with all the others; None where either does not vary.

    interval: bootstrap over learners; None where too many resamples do not vary.
    """

    correlation: float | None
    interval: tuple[float, float] | None
    learners: int


def shares(points: Floats, pending: Floats, possible: Floats) -> Floats:
    """Points over settled points, at most 1 (extra credit does not count); NaN where none is.

    All three: learners by tasks.
    """
    settled = possible - pending
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.where(settled > 0, points / settled, np.nan)
    return np.clip(found, 0.0, 1.0)


def difficulty(share: Floats) -> Difficulty:
    """Of one task, from its column of `shares`."""
    settled = share[~np.isnan(share)]
    mean = float(settled.mean()) if settled.size else None
    return Difficulty(mean, int(settled.size))


def rest_shares(points: Floats, pending: Floats, possible: Floats, task: int) -> Floats:
    """By learner: the share of the settled points of all tasks but one, so that it is not compared
    with itself.
    """
    settled = np.delete(possible - pending, task, axis=1).sum(axis=1)
    earned = np.delete(points, task, axis=1).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(settled > 0, earned / settled, np.nan)


def discrimination(points: Floats, pending: Floats, possible: Floats, task: int) -> Discrimination:
    """The corrected item-total correlation of one task, over those with settled points in both."""
    mine = shares(points, pending, possible)[:, task]
    rest = rest_shares(points, pending, possible, task)
    both = ~np.isnan(mine) & ~np.isnan(rest)
    x, y = mine[both], rest[both]
    return Discrimination(
        correlation(x, y), interval(x, y, np.random.default_rng(SEED)), int(x.size)
    )


def correlation(x: Floats, y: Floats) -> float | None:
    """Pearson's; None for fewer than three learners, or where one of the two is constant."""
    standard = _standardized(x, y)
    if standard is None:
        return None
    return float(np.clip(np.mean(standard[0] * standard[1]), -1.0, 1.0))


def interval(
    x: Floats, y: Floats, rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """The 95 % percentile interval of the correlation when learners are drawn with replacement.

    None where it has no correlation, or one resample in ten or more has none.
    """
    standard = _standardized(x, y)
    if standard is None:
        return None
    block = max(1, min(resamples, _AT_ONCE // x.size))
    drawn = [
        _resampled(*standard, rng, min(block, resamples - start))
        for start in range(0, resamples, block)
    ]
    found = np.concatenate(drawn)
    found = found[~np.isnan(found)]
    if found.size < _MOSTLY * resamples:
        return None
    low, high = np.quantile(found, [ERROR / 2, 1 - ERROR / 2])
    return float(low), float(high)


def fewest_learners() -> int:
    """The smallest class in which GOOD_CORRELATION is not within reach of chance.

    Where nothing is related, 95 % of the correlations that n learners give lie within
    1.96 / sqrt(n - 1) of zero.
    """
    return math.ceil((_NORMAL_QUANTILE / GOOD_CORRELATION) ** 2) + 1


def reach_of_chance(learners: int) -> float | None:
    """How far from zero a correlation may lie by chance alone; None for a class without figures."""
    return min(1.0, _NORMAL_QUANTILE / math.sqrt(learners - 1)) if learners >= _FEWEST else None


def _standardized(x: Floats, y: Floats) -> tuple[Floats, Floats] | None:
    """Both with mean 0 and variance 1."""
    if x.size < _FEWEST or _is_constant(x) or _is_constant(y):
        return None
    return (x - x.mean()) / x.std(), (y - y.mean()) / y.std()


def _is_constant(values: Floats) -> bool:
    """Shares lie in 0 to 1; what differs by less than this differs by rounding."""
    return bool(np.ptp(values) <= _FLAT)


def _resampled(x: Floats, y: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Correlations of `count` resamples; NaN where one does not vary."""
    chance = np.full(x.size, 1 / x.size)
    weights = rng.multinomial(x.size, chance, size=count) / x.size
    mean_x, mean_y = weights @ x, weights @ y
    variances = (weights @ (x * x) - mean_x**2, weights @ (y * y) - mean_y**2)
    covariance = weights @ (x * y) - mean_x * mean_y
    varies = (variances[0] > _FLAT) & (variances[1] > _FLAT)
    found = np.full(count, np.nan)
    spread = np.sqrt(variances[0][varies] * variances[1][varies])
    found[varies] = np.clip(covariance[varies] / spread, -1.0, 1.0)
    return found
