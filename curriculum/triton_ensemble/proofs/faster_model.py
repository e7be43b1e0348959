"""What a model that is a fifth faster gains, by how busy the server was before."""

from __future__ import annotations

import math
import random

BEFORE_MS, AFTER_MS = 10.0, 8.0
REQUESTS = 200_000


def latencies(service_ms: float, per_second: float, seed: int = 4) -> list[float]:
    """One instance, each request on its own, arrivals as from users who do not know each other."""
    rng = random.Random(seed)
    now = free = 0.0
    seen: list[float] = []
    for _ in range(REQUESTS):
        now += rng.expovariate(per_second / 1e3)
        free = max(now, free) + service_ms
        seen.append(free - now)
    return seen


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least this share does not exceed."""
    return sorted(values)[math.ceil(share * len(values)) - 1]


def share_of_the_whole(share: float, faster: float) -> float:
    """How many times as fast everything gets when only a share of it does."""
    return 1 / (1 - share + share / faster)


def main() -> None:
    """The same arrivals, before and after."""
    gains: dict[int, float] = {}
    for busy in (30, 60, 90, 95):
        rate = busy / 100 / BEFORE_MS * 1e3
        before, after = latencies(BEFORE_MS, rate), latencies(AFTER_MS, rate)
        p95 = percentile(before, 0.95), percentile(after, 0.95)
        gains[busy] = p95[0] / p95[1]
        told = f"p95 {p95[0]:5.1f} ms, then {p95[1]:4.1f} ms, {gains[busy]:.1f} times"
        print(f"{BEFORE_MS:.0f} ms become {AFTER_MS:.0f} ms, busy {busy}%: {told}")
    assert gains[30] < 1.5
    assert gains[95] > 3, "the queue shrinks more than the work"
    for share in (0.9, 0.3):
        gain = share_of_the_whole(share, 4.0)
        print(f"four times as fast, on {share:.0%} of an idle server's latency: {gain:.2f} times")
    assert share_of_the_whole(0.3, 4.0) < 1.3
    at_95 = latencies(BEFORE_MS, 95.0)
    theory = BEFORE_MS * (1 + 0.95 / (2 * (1 - 0.95)))
    mean = sum(at_95) / len(at_95)
    print(f"mean at 95%: {mean:.0f} ms; Pollaczek and Khinchine say {theory:.0f} ms")
    assert abs(mean - theory) < 0.25 * theory


if __name__ == "__main__":
    main()
