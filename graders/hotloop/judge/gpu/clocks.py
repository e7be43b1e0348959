"""Whether the card was in a state to measure on: clocks, throttling, other programs."""

from __future__ import annotations

from dataclasses import dataclass

from hotloop.judge.gpu.nvml import Nvml

LOWEST_CLOCK_SHARE = 0.75
"""Of the card's highest clock. Below it a window does not count, as in nvbench."""

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
    """sm_mhz, max_mhz: clock of the multiprocessors, now and at most. reasons: NVML's bits.
    clients: processes with a compute context, the judge's own included."""

    sm_mhz: int
    max_mhz: int
    reasons: int
    clients: int

    @property
    def throttled(self) -> bool:
        """True when the card ran well below its clock, or was made to slow down."""
        return self.sm_mhz < LOWEST_CLOCK_SHARE * self.max_mhz or bool(self.reasons & _SLOWDOWNS)

    def words(self) -> str:
        """For evidence: the clock and why it is not higher."""
        why = [text for bit, text in _REASONS.items() if self.reasons & bit]
        return f"{self.sm_mhz} of {self.max_mhz} MHz" + (f" ({', '.join(why)})" if why else "")


class Clocks:
    """Watches one card.

    expected_clients: the judge and the workers that it started; more are somebody else's.
    """

    def __init__(self, nvml: Nvml) -> None:
        self._nvml = nvml
        self._max_mhz = nvml.max_sm_mhz()
        self.expected_clients = 1
        self.last: ClockState | None = None

    def state(self) -> ClockState:
        """Read now; right after work, for an idle card lowers its clock."""
        self.last = ClockState(
            self._nvml.sm_mhz(),
            self._max_mhz,
            self._nvml.throttle_reasons(),
            self._nvml.clients(),
        )
        return self.last

    def crowded(self) -> bool:
        """True when somebody else has a context on the card."""
        return self.state().clients > self.expected_clients
