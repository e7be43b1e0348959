"""Percentiles of ranks do not average, buckets add up; a counter that falls is a restart."""

from __future__ import annotations

import math
import random
from collections import Counter
from itertools import pairwise

GROWTH = 1.02


def quantile(times: list[float], q: float) -> float:
    """The one of rank ⌈q n⌉."""
    return sorted(times)[math.ceil(q * len(times)) - 1]


def buckets(times: list[float]) -> Counter[int]:
    """How many fell into each bucket; each ends 2 % higher than the one below."""
    return Counter(math.ceil(math.log(t, GROWTH)) for t in times)


def from_buckets(counts: Counter[int], q: float) -> float:
    """The middle of the bucket that holds the rank."""
    rank = math.ceil(q * counts.total())
    for index in sorted(counts):
        rank -= counts[index]
        if rank <= 0:
            return GROWTH ** (index - 0.5)
    raise ValueError("there is nothing in it")


def increase(scraped: list[float]) -> float:
    """What Prometheus makes of a counter, without extrapolating: a fall is a new process."""
    return sum(b - a if b >= a else b for a, b in pairwise(scraped))


def main() -> None:
    """Print both ways, and what a falling counter does."""
    rng = random.Random(1)
    ranks = [[0.1 * math.exp(0.1 * rng.gauss(0, 1)) for _ in range(4000)] for _ in range(7)]
    ranks.append([0.3 * math.exp(0.1 * rng.gauss(0, 1)) for _ in range(4000)])
    together = [t for times in ranks for t in times]
    right = quantile(together, 0.95)
    mean = sum(quantile(times, 0.95) for times in ranks) / len(ranks)
    merged = from_buckets(sum((buckets(times) for times in ranks), Counter[int]()), 0.95)
    print(f"p95 of eight ranks, one of them slow: {right:.3f} s")
    print(f"mean of the ranks' p95: {mean:.3f} s; from their buckets, added: {merged:.3f} s")
    assert abs(mean / right - 1) > 0.3
    assert abs(merged / right - 1) < 0.01
    steps = [0.1] * 99 + [40.0]
    print(f"99 steps of 0.1 s and one that compiled for 40: mean {sum(steps) / 100:.2f} s,")
    print(f"  median {quantile(steps, 0.5):.2f}, p99 {quantile(steps, 0.99):.2f}: it is in neither")
    assert quantile(steps, 0.99) == 0.1
    grows, falls = [0, 100, 180], [0, 100, 80, 160]
    print("steps 0 to 99, back to 80, on to 159: 180 ran, 160 count")
    print(f"  a counter of steps that ran: increase() {increase(grows):.0f}")
    print(f"  one that lost steps are taken out of: increase() {increase(falls):.0f}")
    assert increase(grows) == 180
    assert increase(falls) == 260


if __name__ == "__main__":
    main()
