"""What means, averaged percentiles and added percentiles say of a tail, and what is true."""

from __future__ import annotations

import math
import random


# --8<-- [start:percentile]
def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least this share does not exceed."""
    ordered = sorted(values)
    return ordered[max(math.ceil(share * len(ordered)), 1) - 1]


# --8<-- [end:percentile]


def steady(rng: random.Random, count: int, ms: float) -> list[float]:
    """Latencies around `ms`."""
    return [rng.gauss(ms, ms / 20) for _ in range(count)]


def the_mean() -> None:
    """Two services with the same mean."""
    rng = random.Random(1)
    even = steady(rng, 10_000, 20.0)
    uneven = steady(rng, 9_800, 10.0) + steady(rng, 200, 510.0)
    for name, values in (("even", even), ("uneven", uneven)):
        mean = sum(values) / len(values)
        p50, p99 = percentile(values, 0.5), percentile(values, 0.99)
        print(f"{name:6} mean {mean:4.1f}  p50 {p50:5.1f}  p99 {p99:6.1f} ms")
    assert abs(sum(even) / len(even) - sum(uneven) / len(uneven)) < 0.5
    assert percentile(uneven, 0.99) > 20 * percentile(even, 0.99)


def the_average_of_percentiles() -> None:
    """Ten servers, one of them faulty; the load balancer sends it as much as the others."""
    rng = random.Random(2)
    servers = [steady(rng, 1000, 10.0) for _ in range(9)] + [steady(rng, 1000, 300.0)]
    each = [percentile(values, 0.99) for values in servers]
    averaged = sum(each) / len(each)
    true = percentile([value for values in servers for value in values], 0.99)
    print(f"p99 of ten servers: averaged {averaged:.0f} ms, of all requests {true:.0f} ms")
    assert averaged < true / 5
    p95 = [percentile(values, 0.95) for values in servers]
    pooled = percentile([value for values in servers for value in values], 0.95)
    assert pooled > 5 * sum(p95) / len(p95), "one in ten is slow: p95 is the faulty server's"
    # Counts in buckets can be added, and a percentile of the sum is right within a bucket.
    edges = [2.0**k for k in range(12)]
    counts = [sum(sum(low < v <= 2 * low for v in values) for values in servers) for low in edges]
    reached, bucket = 0, 0
    while reached + counts[bucket] < 0.99 * sum(counts):
        reached += counts[bucket]
        bucket += 1
    low, high = edges[bucket], 2 * edges[bucket]
    print(f"from histograms that were added: between {low:.0f} and {high:.0f} ms")
    assert low < true <= high


def the_sum_of_percentiles() -> None:
    """Three steps, each slow for another five in a hundred requests."""
    rng = random.Random(3)
    steps = [[100.0 if rng.random() < 0.06 else 5.0 for _ in range(20_000)] for _ in range(3)]
    added = sum(percentile(step, 0.95) for step in steps)
    true = percentile([sum(row) for row in zip(*steps, strict=True)], 0.95)
    print(f"p95 of three steps in a row: added {added:.0f} ms, measured at the end {true:.0f} ms")
    assert added == 300.0
    assert true == 110.0


def the_fan_out() -> None:
    """A page that needs all of its requests."""
    for requests in (1, 10, 100):
        print(f"{requests:3} requests: {1 - 0.99**requests:4.0%} of the pages see one beyond p99")
    assert 1 - 0.99**100 > 0.63


if __name__ == "__main__":
    the_mean()
    the_average_of_percentiles()
    the_sum_of_percentiles()
    the_fan_out()
