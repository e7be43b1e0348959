"""One server with a queue: the tail by formula and by simulation."""

from __future__ import annotations

import math

import numpy as np


def latencies(service: np.ndarray, load: float, rng: np.random.Generator) -> np.ndarray:
    """Time in the system for requests that arrive at random; mean service is 1."""
    gaps = rng.exponential(1 / load, size=len(service))
    found = np.empty(len(service))
    wait = 0.0
    for i, work in enumerate(service):
        found[i] = wait + work
        wait = max(0.0, wait + work - gaps[i])
    return found


def main() -> None:
    """Loads from a half to nineteen twentieths, then equal instead of random work."""
    rng, n = np.random.default_rng(1), 400_000
    for load in (0.5, 0.8, 0.9):
        p99 = float(np.quantile(latencies(rng.exponential(1, n), load, rng), 0.99))
        formula = math.log(100) / (1 - load)
        print(f"load {load:.0%}: p99 is {formula:5.1f} services by formula, {p99:5.1f} simulated")
        assert abs(p99 / formula - 1) < 0.1

    load = 0.8
    random = latencies(rng.exponential(1, n), load, rng).mean() - 1
    equal = latencies(np.ones(n), load, rng).mean() - 1
    print(f"load 80 %: mean wait {random:.1f} for random work, {equal:.1f} for equal work")
    assert abs(random - load / (1 - load)) < 0.3
    assert abs(equal / random - 0.5) < 0.06, "the wait halves when all requests are alike"

    def p99_at(rate: float, capacity: float) -> float:
        return math.log(100) / (capacity - rate) * 1000

    slow, fast = p99_at(80, 100), p99_at(80, 110)
    print(f"80 requests/s: p99 {slow:.0f} ms at 100/s, {fast:.0f} ms at 110/s")
    print(f"10 % more capacity is {1 - fast / slow:.0%} less tail")
    assert fast < 0.7 * slow


if __name__ == "__main__":
    main()
