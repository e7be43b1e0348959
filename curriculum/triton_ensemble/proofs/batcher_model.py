"""What max_queue_delay_microseconds costs a client that is alone, and when it costs nothing.

A model of the dynamic batcher with supposed costs; proofs/delay_at_concurrency_one.py asks the
real server.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

FIXED_MS, ROW_MS, WIRE_MS = 0.25, 0.34, 0.05
"""Supposed costs of an execution, of each row in it, and of the way to a client and back."""


# --8<-- [start:batcher]
@dataclass(frozen=True)
class Batcher:
    """As in config.pbtxt. At most 16 rows; a client sends one row and waits for the answer."""

    name: str
    delay_ms: float = 0.0
    preferred: tuple[int, ...] = ()
    most: int = 16

    def take(self, waiting: Sequence[float], now: float) -> tuple[int, float]:
        """How many of the oldest to run, and when: now, or once the oldest has waited enough."""
        sizes = [size for size in self.preferred or (self.most,) if size <= len(waiting)]
        if sizes:
            return max(sizes), now
        return min(len(waiting), self.most), max(now, waiting[0] + self.delay_ms)
        # --8<-- [end:batcher]


@dataclass(frozen=True)
class Execution:
    """One run of the model: when its first row arrived, when it began and ended, how many rows."""

    arrived: float
    began: float
    ended: float
    rows: int


def simulate(batcher: Batcher, clients: int, executions: int = 400) -> list[Execution]:
    """One instance and clients that send again as soon as they are answered, apart at first."""
    queue, now, done = [0.01 * number for number in range(clients)], 0.0, list[Execution]()
    while len(done) < executions:
        now = max(now, queue[0])
        here = [arrived for arrived in queue if arrived <= now]
        rows, start = batcher.take(here, now)
        later = queue[len(here) : len(here) + 1]
        if later and later[0] <= start and start > now:
            now = later[0]  # somebody comes while it waits: look again
            continue
        now = start + FIXED_MS + ROW_MS * rows
        done.append(Execution(queue[0], start, now, rows))
        queue = queue[rows:] + [now + WIRE_MS] * rows
    return done


def per_second(done: list[Execution]) -> float:
    """Rows a second, without the first half, in which the batches settle."""
    half = done[len(done) // 2 :]
    return sum(e.rows for e in half) / (half[-1].ended - done[len(done) // 2 - 1].ended) * 1e3


BATCHERS = (
    Batcher("batches of one", most=1),
    Batcher("dynamic_batching { }"),
    Batcher("preferred [8, 16], 2 ms", 2.0, (8, 16)),
)


def main() -> None:
    """Rows a second by configuration and concurrency."""
    print(f"assumed ms: {FIXED_MS} per execution, {ROW_MS} per row, {WIRE_MS} on the wire")
    found: dict[tuple[str, int], float] = {}
    for batcher in BATCHERS:
        for clients in (1, 4, 16):
            found[batcher.name, clients] = per_second(simulate(batcher, clients))
        shown = "  ".join(f"c={c}: {found[batcher.name, c]:5.0f}/s" for c in (1, 4, 16))
        print(f"{batcher.name:24} {shown}")
    plain, delayed = "dynamic_batching { }", "preferred [8, 16], 2 ms"
    print(f"with one client the delay costs a factor of {found[plain, 1] / found[delayed, 1]:.1f}")
    assert found[plain, 1] > 4 * found[delayed, 1]
    assert found[delayed, 4] < found["batches of one", 4], "4 never fill 8: each batch waits"
    assert found[delayed, 16] > 0.99 * found[plain, 16], "full at once: nobody waits"
    assert found[plain, 1] == found["batches of one", 1], "without a delay it costs nothing"


if __name__ == "__main__":
    main()
