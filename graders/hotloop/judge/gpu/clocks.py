"""Whether the card was in a state to measure on: clocks, throttling, other programs."""

import os
from dataclasses import dataclass

from hotloop.judge.gpu.nvml import Nvml
from hotloop.sandbox.cgroup import stands_still
from hotloop.sandbox.processes import tree

LOWEST_CLOCK_SHARE = 0.75
"""Of the clock that the card had under load in calibration: many cards never reach their highest
clock by design. Below it a window does not count; nvbench flags the same share."""

_REASONS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
_SLOWDOWNS = 0x8 | 0x20 | 0x40 | 0x80
"""The power cap alone does not discard a window: what it costs shows in the clock."""


@dataclass(frozen=True)
class ClockState:
    """sm_mhz, max_mhz: clock of the multiprocessors, now and at most. usual_mhz: that of the
    calibration. reasons: NVML's bits. clients: processes with a compute context, the judge's own
    included, but not the stopped notebooks of other gradings; 0 where NVML sees no processes, as in
    a container without the host's process ids."""

    sm_mhz: int
    max_mhz: int
    reasons: int
    clients: int
    usual_mhz: int

    @property
    def throttled(self) -> bool:
        """True when the card ran well below its usual clock, or was made to slow down."""
        return self.sm_mhz < LOWEST_CLOCK_SHARE * self.usual_mhz or bool(self.reasons & _SLOWDOWNS)

    def words(self) -> str:
        """For evidence: the clock and why it is not higher."""
        why = [text for bit, text in _REASONS.items() if self.reasons & bit]
        return f"{self.sm_mhz} of {self.max_mhz} MHz" + (f" ({', '.join(why)})" if why else "")


class Clocks:
    """Watches one card.

    expected_clients: the judge and the workers that it started; more are somebody else's.
    usual_mhz: of the multiprocessors under load, see `calibrate`.
    """

    def __init__(self, nvml: Nvml) -> None:
        self._nvml = nvml
        self._max_mhz = self.usual_mhz = nvml.max_sm_mhz()
        self.expected_clients = 1
        self.last: ClockState | None = None

    def calibrate(self) -> None:
        """Learn the usual clock; right after work of some length, when nobody else computes."""
        self.usual_mhz = max(self._nvml.sm_mhz() for _ in range(5))

    @property
    def blind(self) -> bool:
        """True where NVML does not even see the judge's own context, and so no neighbour's."""
        return self.state().clients == 0

    def state(self) -> ClockState:
        """Read now; right after work, for an idle card lowers its clock."""
        self.last = ClockState(
            self._nvml.sm_mhz(),
            self._max_mhz,
            self._nvml.throttle_reasons(),
            self._clients(),
            self.usual_mhz,
        )
        return self.last

    def crowded(self) -> bool:
        """True when somebody else has a context on the card."""
        return self.state().clients > self.expected_clients

    def _clients(self) -> int:
        found = self._nvml.clients()
        if len(found) <= self.expected_clients or os.getpid() not in found:
            # Nobody is too many, or the ids are of another namespace and tell nothing.
            return len(found)
        others = set(found) - set(tree(os.getpid()))
        return len(found) - sum(stands_still(pid) for pid in others)
