"""Statistics of tasks, of a class or of a take-home's candidates: difficulty and discrimination.

Rows are learners, columns are tasks. A learner's share of a task is computed from settled points
only: pending points count neither for nor against a learner.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.core.intervals import Interval, rate_interval

Floats = NDArray[np.float64]

ERROR = 0.05
RESAMPLES = 2000
SEED = 20240229
"""Seed of the resampling, so that the same points give the same page."""

GOOD_CORRELATION = 0.3
"""A task with at least this correlation is commonly said to discriminate well."""

_NORMAL_QUANTILE = 1.959963984540054  # two-sided, for an error of 5 %
_FEWEST = 3  # with two learners the correlation is always 1 or -1
_MOSTLY = 0.9  # minimum share of resamples with a correlation, for meaningful quantiles
_AT_ONCE = 1 << 22  # numbers per block of resamples: 32 MiB
_FLAT = 1e-9  # variance of a standardized column that is zero except for rounding


@dataclass(frozen=True)
class Difficulty:
    """Difficulty of a task. mean: share of settled points, 0 to 1; None if nothing is settled.

    interval: 95 %, of the mean; valid for few learners too. count: of learners with settled points.
    """

    mean: float | None
    interval: Interval | None
    count: int


@dataclass(frozen=True)
class Discrimination:
    """Correlation of a task with all others; None if either does not vary.

    interval: 95 %, bootstrap over learners; None if too many resamples do not vary. count: of
    learners with settled points in this and other tasks.
    """

    correlation: float | None
    interval: tuple[float, float] | None
    count: int


def shares(points: Floats, pending: Floats, possible: Floats) -> Floats:
    """Return points / settled points, at most 1; NaN if nothing is settled.

    Extra credit does not count. All arrays: learners by tasks.
    """
    settled = possible - pending
    with np.errstate(divide="ignore", invalid="ignore"):
        result = np.where(settled > 0, points / settled, np.nan)
    return np.clip(result, 0.0, 1.0)


def difficulty(share: Floats) -> Difficulty:
    """Compute the difficulty of a task from its column of `shares`."""
    settled = share[~np.isnan(share)]
    count = int(settled.size)
    mean = float(settled.mean()) if count else None
    return Difficulty(mean, rate_interval(float(settled.sum()), count), count)


def rest_shares(points: Floats, pending: Floats, possible: Floats, task: int) -> Floats:
    """Return each learner's share of settled points of all tasks but one.

    Leaving out the task avoids correlating it with itself.
    """
    settled = np.delete(possible - pending, task, axis=1).sum(axis=1)
    earned = np.delete(points, task, axis=1).sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(settled > 0, earned / settled, np.nan)


def discrimination(points: Floats, pending: Floats, possible: Floats, task: int) -> Discrimination:
    """Compute a task's corrected item-total correlation, over learners with both shares settled."""
    mine = shares(points, pending, possible)[:, task]
    rest = rest_shares(points, pending, possible, task)
    both = ~np.isnan(mine) & ~np.isnan(rest)
    x, y = mine[both], rest[both]
    return Discrimination(
        correlation(x, y), interval(x, y, np.random.default_rng(SEED)), int(x.size)
    )


def correlation(x: Floats, y: Floats) -> float | None:
    """Return Pearson's correlation; None for fewer than three learners or a constant column."""
    standard = _standardized(x, y)
    if standard is None:
        return None
    return float(np.clip(np.mean(standard[0] * standard[1]), -1.0, 1.0))


def interval(
    x: Floats, y: Floats, rng: np.random.Generator, resamples: int = RESAMPLES
) -> tuple[float, float] | None:
    """Return the 95 % bootstrap percentile interval of the correlation.

    Returns None if there is no correlation, or too many resamples have none.
    """
    standard = _standardized(x, y)
    if standard is None:
        return None
    block = max(1, min(resamples, _AT_ONCE // x.size))
    drawn = [
        _resampled(*standard, rng, min(block, resamples - start))
        for start in range(0, resamples, block)
    ]
    correlations = np.concatenate(drawn)
    correlations = correlations[~np.isnan(correlations)]
    if correlations.size < _MOSTLY * resamples:
        return None
    low, high = np.quantile(correlations, [ERROR / 2, 1 - ERROR / 2])
    return float(low), float(high)


def fewest_learners() -> int:
    """Return the smallest class in which GOOD_CORRELATION is unlikely to be due to chance.

    Without any relation, 95 % of the correlations of n learners lie within 1.96 / sqrt(n - 1) of
    zero.
    """
    return math.ceil((_NORMAL_QUANTILE / GOOD_CORRELATION) ** 2) + 1


def reach_of_chance(learners: int) -> float | None:
    """Return the largest correlation that chance alone explains; None for a tiny class."""
    return min(1.0, _NORMAL_QUANTILE / math.sqrt(learners - 1)) if learners >= _FEWEST else None


def _standardized(x: Floats, y: Floats) -> tuple[Floats, Floats] | None:
    """Return both columns with mean 0 and variance 1; None if that is impossible."""
    if x.size < _FEWEST or _is_constant(x) or _is_constant(y):
        return None
    return (x - x.mean()) / x.std(), (y - y.mean()) / y.std()


def _is_constant(values: Floats) -> bool:
    """True if values differ by rounding only; shares are between 0 and 1."""
    return bool(np.ptp(values) <= _FLAT)


def _resampled(x: Floats, y: Floats, rng: np.random.Generator, count: int) -> Floats:
    """Return correlations of `count` resamples; NaN if one does not vary."""
    chance = np.full(x.size, 1 / x.size)
    weights = rng.multinomial(x.size, chance, size=count) / x.size
    mean_x, mean_y = weights @ x, weights @ y
    variances = (weights @ (x * x) - mean_x**2, weights @ (y * y) - mean_y**2)
    covariance = weights @ (x * y) - mean_x * mean_y
    varies = (variances[0] > _FLAT) & (variances[1] > _FLAT)
    correlations = np.full(count, np.nan)
    spread = np.sqrt(variances[0][varies] * variances[1][varies])
    correlations[varies] = np.clip(covariance[varies] / spread, -1.0, 1.0)
    return correlations
