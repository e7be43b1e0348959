"""Two queues that stand for two streams: what overlaps, and what nobody puts in order.

Work is sleeping, and a buffer is a list, so that the order is all that there is to see.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

COPY_S = COMPUTE_S = 0.02
BATCHES = 4


class Stream:
    """Work in order within a stream; an event lets another stream wait."""

    def __init__(self) -> None:
        self.worker = ThreadPoolExecutor(max_workers=1)

    def launch(self, work: Callable[[], object]) -> None:
        """Return at once."""
        self.worker.submit(work)

    def record(self) -> threading.Event:
        """An event that is set when all work so far is done."""
        event = threading.Event()
        self.launch(event.set)
        return event

    def synchronize(self) -> None:
        """Wait on the host."""
        self.record().wait()


def run(
    copies: Stream, compute: Stream, *, waits: bool, buffers: int, late: bool = False
) -> tuple[list[int], float]:
    """Copy each batch into a buffer, compute on it; the batches seen, and seconds of overlap.

    late: the copies' stream has other work until the first computation has read.
    """
    memory = [-1] * buffers
    has_read = threading.Event()
    seen: list[int] = []
    copied: list[tuple[float, float]] = []
    computed: list[tuple[float, float]] = []
    free: list[threading.Event | None] = [None] * buffers

    def copy(batch: int, slot: int) -> None:
        began = time.perf_counter()
        time.sleep(COPY_S)
        memory[slot] = batch
        copied.append((began, time.perf_counter()))

    def work(slot: int) -> None:
        began = time.perf_counter()
        seen.append(memory[slot])
        has_read.set()
        time.sleep(COMPUTE_S)
        computed.append((began, time.perf_counter()))

    if late:
        copies.launch(has_read.wait)
    for batch in range(BATCHES):
        slot = batch % buffers
        if waits and (done := free[slot]) is not None:
            copies.launch(done.wait)  # who reads it must be done: what record_stream is about
        copies.launch(lambda batch=batch, slot=slot: copy(batch, slot))
        if waits:
            arrived = copies.record()
            compute.launch(arrived.wait)
        compute.launch(lambda slot=slot: work(slot))
        free[slot] = compute.record()
    compute.synchronize()
    copies.synchronize()
    common = (min(b, d) - max(a, c) for a, b in copied for c, d in computed)
    return seen, sum(max(0.0, seconds) for seconds in common)


def main() -> None:
    """One stream, two without order, two with."""
    one, other = Stream(), Stream()
    in_turn, alone = run(one, one, waits=False, buffers=1)
    loose, _ = run(one, other, waits=False, buffers=1, late=True)
    single, shared = run(one, other, waits=True, buffers=1)
    double, overlapped = run(one, other, waits=True, buffers=2)
    right = list(range(BATCHES))
    print("one stream:", in_turn, "no overlap")
    print("measured: two streams, nothing between them:", loose)
    print("two streams with events, one buffer:", single, "no overlap")
    print("two streams with events, two buffers:", double)
    print(f"measured: with two buffers, an overlap of {overlapped * 1e3:.0f} ms")
    assert in_turn == single == double == right
    assert loose[0] == -1, "the computation read what had not arrived"
    assert alone == shared == 0, "in turn: one buffer is either written or read"
    assert overlapped > 0.5 * COPY_S, "the next batch comes while this one is worked on"
    for stream in (one, other):
        stream.worker.shutdown()


if __name__ == "__main__":
    main()
