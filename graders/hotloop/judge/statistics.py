"""Speedup as ratios of medians and of totals, with intervals that stay valid over several looks.

A judging evaluates its samples at a few fixed sample sizes and stops when the interval decides.
Each look gets an equal part of the 5 % error (Bonferroni), so the probability that any of the
intervals misses the true ratio stays below 5 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from hotloop.core.intervals import Interval

LOOKS = (10, 15, 22, 32, 46)
"""Numbers of blocks (A B B A) after which the samples are evaluated."""

ERROR = 0.05
RESAMPLES = 2000


@dataclass(frozen=True)
class Estimate:
    """Baseline time over candidate time: above 1, the candidate is faster.

    ratio: of the medians.
    interval: its bootstrap confidence interval.
    total_ratio: of the summed times, in which slow windows count.
    total_interval: its t-interval over the blocks' sums. With few blocks a bootstrap is too narrow
        for it: code that is slow in some windows only has none, or one, in the first blocks. It
        holds at its rate if a third of the windows is slow; those slow in one window of twenty may
        have none in the first look, which no interval of what was seen tells.
    """

    ratio: float
    interval: Interval
    total_ratio: float
    total_interval: Interval


def estimate(
    baseline: Sequence[Sequence[float]],
    candidate: Sequence[Sequence[float]],
    rng: np.random.Generator,
    *,
    looks: int = len(LOOKS),
    resamples: int = RESAMPLES,
) -> Estimate:
    """Estimate the speedup from blocks of seconds per call: one inner sequence per block.

    Both sides need equally many blocks, otherwise ValueError. Whole blocks are resampled, because
    the windows of one block are measured under the same conditions.
    """
    a, b = np.asarray(baseline, np.float64), np.asarray(candidate, np.float64)
    if a.shape[0] != b.shape[0] or a.shape[0] == 0:
        raise ValueError(f"blocks must pair up: {a.shape} and {b.shape}")
    picks = rng.integers(0, a.shape[0], (resamples, a.shape[0]))
    tail = ERROR / looks / 2
    low, high = np.quantile(_medians(a, picks) / _medians(b, picks), [tail, 1 - tail])
    return Estimate(
        ratio=float(np.median(a) / np.median(b)),
        interval=Interval(float(low), float(high)),
        total_ratio=float(a.sum() / b.sum()),
        total_interval=_total_interval(a.sum(axis=1), b.sum(axis=1), tail),
    )


def _total_interval(a: NDArray[np.float64], b: NDArray[np.float64], tail: float) -> Interval:
    """Return the t-interval of the ratio of the sums of `a` and `b`, by linearization."""
    if len(a) == 1:
        return Interval(0.0, math.inf)
    ratio = float(a.sum() / b.sum())
    error = float(np.std(a - ratio * b, ddof=1)) / math.sqrt(len(a)) / float(b.mean())
    width = _t_quantile(1 - tail, len(a) - 1) * error
    return Interval(max(0.0, ratio - width), ratio + width)


def _t_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's t, within 1 % from 5 degrees of freedom on."""
    # Its expansion around the quantile of the normal distribution.
    z = NormalDist().inv_cdf(share)
    return (
        z
        + (z**3 + z) / (4 * freedom)
        + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * freedom**2)
        + (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / (384 * freedom**3)
    )


def _medians(blocks: NDArray[np.float64], picks: NDArray[np.int64]) -> NDArray[np.float64]:
    return np.median(blocks[picks].reshape(len(picks), -1), axis=1)


def spread(samples: Sequence[float]) -> float:
    """Return half the interquartile range, as a share of the median."""
    low, middle, high = np.quantile(np.asarray(samples), [0.25, 0.5, 0.75])
    return float((high - low) / 2 / middle)


def quantiles(samples: Sequence[float]) -> dict[str, float]:
    """Return p20, p50 and p80, in the unit of the samples."""
    values = np.quantile(np.asarray(samples), [0.2, 0.5, 0.8])
    return dict(zip(("p20", "p50", "p80"), map(float, values), strict=True))
