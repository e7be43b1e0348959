"""Whether the GPU is in a state to measure on: clocks, throttling, other programs."""

import os
from dataclasses import dataclass

from hotloop.judge.gpu.nvml import Nvml

LOWEST_CLOCK_SHARE = 0.75
"""Share of the clock under load at calibration, since many GPUs never reach their maximum clock by
design. Below it, a window does not count; nvbench uses the same share."""

_REASONS = {
    0x4: "power cap",
    0x8: "hardware slowdown",
    0x20: "software thermal slowdown",
    0x40: "hardware thermal slowdown",
    0x80: "power brake",
}
_SLOWDOWNS = 0x8 | 0x20 | 0x40 | 0x80
"""The power cap alone does not discard a window: its effect shows in the clock."""


@dataclass(frozen=True)
class ClockState:
    """One reading of the clocks.

    sm_mhz, max_mhz: current and maximum SM clock.
    reasons: NVML's bits of throttle reasons.
    clients: processes with a compute context, including the judge's but not the frozen notebooks of
        other gradings; 0 if NVML sees no processes, as in a container without the host's process
        ids.
    usual_mhz: SM clock at calibration.
    """

    sm_mhz: int
    max_mhz: int
    reasons: int
    clients: int
    usual_mhz: int

    @property
    def throttled(self) -> bool:
        """True if the clock is well below its usual value, or a slowdown is active."""
        return self.sm_mhz < LOWEST_CLOCK_SHARE * self.usual_mhz or bool(self.reasons & _SLOWDOWNS)

    def words(self) -> str:
        """Return the clock, and why it is not higher, for the evidence."""
        why = [text for bit, text in _REASONS.items() if self.reasons & bit]
        return f"{self.sm_mhz} of {self.max_mhz} MHz" + (f" ({', '.join(why)})" if why else "")


class Clocks:
    """Monitors one GPU.

    expected_clients: the judge and the workers that it started; any further client is another
        program.
    usual_mhz: SM clock under load, see `calibrate`.
    """

    def __init__(self, nvml: Nvml) -> None:
        self._nvml = nvml
        self._max_mhz = self.usual_mhz = nvml.max_sm_mhz()
        self.expected_clients = 1
        self.last: ClockState | None = None

    def calibrate(self) -> None:
        """Measure the usual clock; call it right after work, while no other process computes."""
        self.usual_mhz = max(self._nvml.sm_mhz() for _ in range(5))

    @property
    def blind(self) -> bool:
        """True if NVML does not see the judge's own context, and so no other program's."""
        return self.state().clients == 0

    def state(self) -> ClockState:
        """Read the state; call it right after work, because an idle GPU lowers its clock."""
        self.last = ClockState(
            self._nvml.sm_mhz(),
            self._max_mhz,
            self._nvml.throttle_reasons(),
            self._clients(),
            self.usual_mhz,
        )
        return self.last

    def crowded(self) -> bool:
        """Return True if another program has a context on the GPU."""
        return self.state().clients > self.expected_clients

    def _clients(self) -> int:
        from hotloop.sandbox.cgroup import stands_still  # a judge without a GPU needs no sandbox
        from hotloop.sandbox.processes import tree

        clients = self._nvml.clients()
        if len(clients) <= self.expected_clients or os.getpid() not in clients:
            # There is no extra client, or the process ids belong to another namespace.
            return len(clients)
        others = set(clients) - set(tree(os.getpid()))
        return len(clients) - sum(stands_still(pid) for pid in others)
