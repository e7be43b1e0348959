"""Concurrency = throughput × latency: what a load test may say, and what it cannot say."""

from __future__ import annotations

import heapq
import random


# --8<-- [start:check]
def in_flight(per_second: float, mean_ms: float) -> float:
    """Little's law: how many requests were under way on average."""
    return per_second * mean_ms / 1e3


# --8<-- [end:check]


def closed(
    clients: int, instances: int, service_ms: float, requests: int = 20_000
) -> tuple[float, float]:
    """Requests a second and mean latency of clients that ask again at once."""
    rng = random.Random(clients)
    free = [0.0] * instances
    ready = [(0.0, client) for client in range(clients)]
    total = 0.0
    end = 0.0
    for _ in range(requests):
        sent, client = heapq.heappop(ready)
        start = max(sent, heapq.heappop(free))
        done = start + rng.uniform(0.5, 1.5) * service_ms
        heapq.heappush(free, done)
        heapq.heappush(ready, (done, client))
        total += done - sent
        end = max(end, done)
    return requests / end * 1e3, total / requests


def main() -> None:
    """Four instances of 8 ms: the knee, and three reports."""
    found = {c: closed(c, instances=4, service_ms=8.0) for c in (1, 2, 4, 8, 16, 32)}
    for clients, (rate, mean) in found.items():
        flying = in_flight(rate, mean)
        print(f"c={clients:2}  {rate:4.0f}/s  mean {mean:5.1f} ms  in flight {flying:5.2f}")
        assert abs(flying - clients) < 0.02 * clients
    assert found[32][0] < 1.05 * found[4][0], "beyond the instances nothing is gained"
    assert found[32][1] > 7 * found[4][1], "but the wait"
    reports = [("A", 16, 2000.0, 8.0), ("B", 16, 200.0, 8.0), ("C", 16, 2000.0, 40.0)]
    for name, concurrency, rate, mean in reports:
        flying = in_flight(rate, mean)
        verdict = "consistent"
        if flying < 0.9 * concurrency:
            verdict = "the generator was not at its concurrency: look at the client"
        if flying > 1.1 * concurrency:
            verdict = "impossible: rate and latency are not of the same run"
        told = f"c={concurrency}, {rate:.0f}/s, {mean:.0f} ms"
        print(f"report {name}: {told}: {flying:.1f} in flight; {verdict}")
    assert in_flight(2000, 8) == 16
    assert in_flight(200, 8) < 2


if __name__ == "__main__":
    main()
