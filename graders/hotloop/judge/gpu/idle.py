"""Proof that nobody computes on the device: a kernel of the judge's takes as long as alone.

Kernels of different processes share a GPU by time slices, so anything that still runs, or starts by
itself, while all workers stand frozen (queued kernels, a graph that launches itself, a kernel that
only sleeps) takes turns with the judge's kernel and about doubles its time. NVML's utilisation is
no substitute: it is sampled too coarsely for a window.
"""

import statistics
import time
from collections.abc import Callable

from hotloop.judge.gpu.driver import Driver, Event

PROBE_S = 0.008
"""Length of a probe when alone: several time slices."""

WAKE_S = 0.3
LIMIT = 1.25
TRIES = 3
PATIENCE_S = 5.0
MOST_ROUNDS = 4096


class IdleProbe:
    """Times `churn`, which begins one kernel of ours on the default stream."""

    def __init__(self, driver: Driver, churn: Callable[[], object]) -> None:
        self._driver = driver
        self._churn = churn
        self._rounds = 1
        self.alone_s = 0.0

    @property
    def calibrated(self) -> bool:
        """Whether it is known how long a probe takes alone."""
        return self.alone_s > 0

    def calibrate(self) -> None:
        """Learn how long a probe takes alone. Only our own idle processes may have contexts."""
        self._wake()
        one = max(self._seconds(), 1e-6)
        self._rounds = max(1, min(MOST_ROUNDS, round(PROBE_S / one)))
        self.alone_s = statistics.median(self._seconds() for _ in range(7))

    def _wake(self) -> None:
        """An idle card has lowered its clock; keep it busy until it has raised it again."""
        until = time.monotonic() + WAKE_S
        while time.monotonic() < until:
            self._seconds()

    def ratio(self) -> float:
        """Time of a probe over its time alone; the least of a few, as noise only ever adds."""
        least = float("inf")
        for _ in range(TRIES):
            least = min(least, self._seconds() / self.alone_s)
            if least <= LIMIT:
                break
        return least

    def idle(self) -> bool:
        """True when nobody else computes now."""
        return self.ratio() <= LIMIT

    def _seconds(self) -> float:
        with Event(self._driver) as first, Event(self._driver) as last:
            first.record()
            for _ in range(self._rounds):
                self._churn()
            last.record()
            if not reached_within(last, PATIENCE_S):
                return float("inf")
            return first.seconds_until(last)


def reached_within(event: Event, seconds: float, *, spin_s: float = 0.0) -> bool:
    """Poll an event, so that a device that never gets there cannot hold the judge.

    spin_s: for so long without sleeping between two looks.
    """
    started = time.monotonic()
    while not event.reached():
        waited = time.monotonic() - started
        if waited > seconds:
            return False
        if waited > spin_s:
            time.sleep(0.0001)
    return True
