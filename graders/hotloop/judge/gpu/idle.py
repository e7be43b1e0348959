"""Shows that no other process uses the GPU: a kernel of the judge takes no longer than alone.

Kernels of different processes share a GPU by time slices. So any work that runs while all workers
are frozen (queued kernels, a graph that launches itself, a kernel that only sleeps) alternates with
the judge's kernel and about doubles its time. NVML's utilization is no substitute: its sampling is
too coarse for a window.
"""

import statistics
import time
from collections.abc import Callable

from hotloop.judge.gpu.driver import Driver, GpuEvent

PROBE_S = 0.008
"""Duration of a probe alone, in seconds: several time slices."""

WAKE_S = 0.3
LIMIT = 1.25
TRIES = 3
TIMEOUT_S = 5.0
MOST_ROUNDS = 4096


class IdleProbe:
    """Times `churn`, which starts one kernel of the judge on the default stream."""

    def __init__(self, driver: Driver, churn: Callable[[], object]) -> None:
        self._driver = driver
        self._churn = churn
        self._rounds = 1
        self.alone_s = 0.0

    @property
    def calibrated(self) -> bool:
        """True if the duration of a probe alone is known."""
        return self.alone_s > 0

    def calibrate(self) -> None:
        """Measure a probe alone. Only idle processes of the judge may have contexts."""
        self._wake()
        one = max(self._seconds(), 1e-6)
        self._rounds = max(1, min(MOST_ROUNDS, round(PROBE_S / one)))
        self.alone_s = statistics.median(self._seconds() for _ in range(7))

    def _wake(self) -> None:
        """Keep the GPU busy until it has raised the clock that it lowers when idle."""
        until = time.monotonic() + WAKE_S
        while time.monotonic() < until:
            self._seconds()

    def ratio(self) -> float:
        """Return a probe's time over its time alone; the minimum of a few, as noise only adds."""
        least = float("inf")
        for _ in range(TRIES):
            least = min(least, self._seconds() / self.alone_s)
            if least <= LIMIT:
                break
        return least

    def idle(self) -> bool:
        """Return True if no other process computes now."""
        return self.ratio() <= LIMIT

    def _seconds(self) -> float:
        with GpuEvent(self._driver) as first, GpuEvent(self._driver) as last:
            first.record()
            for _ in range(self._rounds):
                self._churn()
            last.record()
            if not reached_within(last, TIMEOUT_S):
                return float("inf")
            return first.seconds_until(last)


def reached_within(event: GpuEvent, seconds: float, *, spin_s: float = 0.0) -> bool:
    """Poll an event, so that a device that never reaches it cannot block the judge.

    Returns False after `seconds`. spin_s: poll without sleeping for this long.
    """
    started = time.monotonic()
    while not event.reached():
        waited = time.monotonic() - started
        if waited > seconds:
            return False
        if waited > spin_s:
            time.sleep(0.0001)
    return True
