"""Speedup as ratios of medians and of totals, with intervals that stay valid over several looks.

A judging evaluates its samples at a few fixed sample sizes and stops when the interval decides.
Each look spends the share of the 5 % error that its new blocks are of all blocks, so that the first
ones spend little; by Bonferroni, the probability that any of the intervals misses the true ratio
stays below 5 %.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.core.intervals import Interval

LOOKS = (10, 15, 22, 32, 46)
"""Numbers of blocks (A B B A) after which the samples are evaluated."""

EARLY_LOOKS = (4, 7)
"""The same, where only what is clear is decided: see `Estimate.early`."""

FEW_BLOCKS = 10
"""A bootstrap of fewer blocks is too narrow, since it never leaves what was seen."""

ERROR = 0.05
RESAMPLES = 4000


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
    early: the number of blocks of an early look; 0 at the others.
    """

    ratio: float
    interval: Interval
    total_ratio: float
    total_interval: Interval
    early: int = 0


def spent(looks: Sequence[int]) -> list[float]:
    """Return the error of each look, ERROR in all. looks: numbers of blocks, rising."""
    return [
        ERROR * (blocks - before) / looks[-1]
        for before, blocks in zip((0, *looks), looks, strict=False)
    ]


def estimate(
    baseline: Sequence[Sequence[float]],
    candidate: Sequence[Sequence[float]],
    rng: np.random.Generator,
    *,
    error: float = ERROR / len(LOOKS),
    resamples: int = RESAMPLES,
) -> Estimate:
    """Estimate the speedup from blocks of seconds per call: one inner sequence per block.

    error: the probability with which an interval may miss the truth; what `spent` says at a look.

    Both sides need equally many blocks, otherwise ValueError. Whole blocks are resampled, because
    the windows of one block are measured under the same conditions.
    """
    a, b = np.asarray(baseline, np.float64), np.asarray(candidate, np.float64)
    if a.shape[0] != b.shape[0] or a.shape[0] == 0:
        raise ValueError(f"blocks must pair up: {a.shape} and {b.shape}")
    picks = rng.integers(0, a.shape[0], (resamples, a.shape[0]))
    tail = error / 2
    low, high = np.quantile(_medians(a, picks) / _medians(b, picks), [tail, 1 - tail])
    interval = Interval(float(low), float(high))
    if len(a) < FEW_BLOCKS:
        mean = _interval_of_mean(np.log(a).mean(axis=1) - np.log(b).mean(axis=1), tail)
        interval = Interval(min(mean.low, interval.low), max(mean.high, interval.high))
    return Estimate(
        ratio=float(np.median(a) / np.median(b)),
        interval=interval,
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


def _interval_of_mean(logarithms: NDArray[np.float64], tail: float) -> Interval:
    """Return the t-interval of the ratio whose logarithm each block has measured once."""
    count, mean = len(logarithms), float(logarithms.mean())
    if count == 1:
        return Interval(0.0, math.inf)
    width = _t_quantile(1 - tail, count - 1) * float(np.std(logarithms, ddof=1)) / math.sqrt(count)
    return Interval(math.exp(mean - width), math.exp(mean + width))


def _t_quantile(share: float, freedom: int) -> float:
    """Return a quantile of Student's t. share: at least a half. freedom: a whole number."""
    low, high = 0.0, math.pi / 2
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _t_share(middle, freedom) < share else (low, middle)
    return math.sqrt(freedom) * math.tan(low)


def _t_share(angle: float, freedom: int) -> float:
    """Return the probability that t is below tan(angle) · √freedom.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4.
    """
    cosine, sine = math.cos(angle), math.sin(angle)
    odd = freedom % 2
    term, total = cosine if odd else 1.0, 0.0
    for power in range(1 + odd, freedom, 2):
        total += term
        term *= cosine**2 * power / (power + 1)
    within = 2 / math.pi * (angle + sine * total) if odd else sine * total
    return (1 + within) / 2


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
