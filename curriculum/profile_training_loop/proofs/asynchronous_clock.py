"""A queue with one worker stands for a CUDA stream: what a clock sees, with and without waiting.

Sleeping is the work, so that the numbers say nothing of any device and everything of the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor

WORK_S = 0.04
FIRST_CALL_S = 0.2
CALLS = 5


class Stream:
    """Work is handed over and done in order, by somebody else."""

    def __init__(self) -> None:
        self.worker = ThreadPoolExecutor(max_workers=1)
        self.last: Future[None] | None = None

    def launch(self, seconds: float) -> None:
        """Return at once."""
        self.last = self.worker.submit(time.sleep, seconds)

    def synchronize(self) -> None:
        """Return when everything launched is done."""
        if self.last is not None:
            self.last.result()


def timed(work: Callable[[], None]) -> float:
    """Seconds by the host's clock."""
    began = time.perf_counter()
    work()
    return time.perf_counter() - began


class Model:
    """The first call builds something, as CUDA contexts, cudnn.benchmark and torch.compile do."""

    def __init__(self, stream: Stream) -> None:
        self.stream, self.called = stream, False

    def __call__(self) -> None:
        """Launch one call's work."""
        self.stream.launch(WORK_S if self.called else FIRST_CALL_S)
        self.called = True


def main() -> None:
    """Time five calls in four ways."""
    stream = Stream()
    model = Model(stream)
    true = CALLS * WORK_S

    def calls() -> None:
        for _ in range(CALLS):
            model()

    def calls_and_wait() -> None:
        calls()
        stream.synchronize()

    cold = timed(calls_and_wait)
    print(f"measured: warm-up included: {cold / CALLS * 1e3:.1f} ms a call")
    assert cold > true + (FIRST_CALL_S - WORK_S) * 0.9

    launched = timed(calls)
    innocent = timed(stream.synchronize)  # stands for loss.item(), which computes nothing
    print(
        f"measured: without waiting {launched / CALLS * 1e3:.2f} ms a call; "
        f"the next read {innocent:.3f} s"
    )
    assert launched < 0.5 * true
    assert innocent > 0.5 * true, "the read is charged with everybody's work"

    model()  # still queued when the clock starts
    late = timed(calls_and_wait)
    assert late > (CALLS + 0.5) * WORK_S, "somebody else's work is in the window"
    stream.synchronize()
    honest = timed(calls_and_wait)
    print(
        f"measured: queue not empty at the start {late / CALLS * 1e3:.1f} ms; "
        f"waited before and after {honest / CALLS * 1e3:.1f} ms a call"
    )
    assert honest >= true
    stream.worker.shutdown()


if __name__ == "__main__":
    main()
