"""One server that stalls for a second, and three ways to ask how slow it is."""

from __future__ import annotations

import math

SERVICE_MS = 5.0
EVERY_MS = 10_000.0
STALL_MS = 1_000.0
"""For the last second of every ten it answers nobody."""
LENGTH_MS = 100_000.0


def percentile(values: list[float], share: float) -> float:
    """The smallest value that at least this share does not exceed."""
    ordered = sorted(values)
    return ordered[math.ceil(share * len(ordered)) - 1]


def answered(start: float) -> float:
    """When a request ends whose work may begin at `start`."""
    ends = start + SERVICE_MS
    stall = math.floor(ends / EVERY_MS) * EVERY_MS + EVERY_MS - STALL_MS
    return ends + STALL_MS if start < stall < ends else max(ends, _after_stall(start) + SERVICE_MS)


def _after_stall(time: float) -> float:
    stall = math.floor(time / EVERY_MS) * EVERY_MS + EVERY_MS - STALL_MS
    return stall + STALL_MS if time >= stall else time


# --8<-- [start:loops]
def closed_loop(pause_ms: float) -> list[float]:
    """One client: send, wait, think, send again. A stall stops the client, too."""
    seen: list[float] = []
    now = 0.0
    while now < LENGTH_MS:
        ends = answered(now)
        seen.append(ends - now)
        now = ends + pause_ms
    return seen


def open_loop(interval_ms: float) -> tuple[list[float], list[float]]:
    """Requests at fixed times, as from users who do not know each other; one is served at a time.

    By the clock that starts when a request is sent at last, and by the clock that starts when it
    was due.
    """
    from_sending: list[float] = []
    from_due: list[float] = []
    free = 0.0
    for number in range(int(LENGTH_MS / interval_ms)):
        due = number * interval_ms
        sent = max(due, free)  # a generator with one connection cannot send before
        free = answered(sent)
        from_sending.append(free - sent)
        from_due.append(free - due)
    return from_sending, from_due


# --8<-- [end:loops]


def main() -> None:
    """The same server, about 100 requests a second."""
    closed = closed_loop(pause_ms=5.0)
    from_sending, from_due = open_loop(interval_ms=10.0)
    asked = {
        "closed loop": closed,
        "open loop, timed from sending": from_sending,
        "open loop, timed from due time": from_due,
    }
    for name, seen in asked.items():
        print(
            f"{name:31} {len(seen):6} requests  mean {sum(seen) / len(seen):5.1f}  "
            f"p50 {percentile(seen, 0.5):3.0f}  p99 {percentile(seen, 0.99):5.0f}  "
            f"max {max(seen):5.0f} ms"
        )
    stalled = STALL_MS / EVERY_MS
    print(f"share of time in which the server stalls: {stalled:.0%}")
    assert percentile(closed, 0.99) == SERVICE_MS, "ten slow ones among thousands"
    assert percentile(from_sending, 0.99) == SERVICE_MS, "an open loop with the wrong clock"
    assert percentile(from_due, 0.99) > 0.9 * STALL_MS
    slow = sum(value > 2 * SERVICE_MS for value in from_due) / len(from_due)
    print(f"requests that wait, timed from due time: {slow:.0%}")
    assert slow > 1.5 * stalled, "and those after it, until the queue is empty again"


if __name__ == "__main__":
    main()
