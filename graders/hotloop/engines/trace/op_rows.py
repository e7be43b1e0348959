"""Sums the calls of each operator name."""

from dataclasses import dataclass

import numpy as np

from hotloop.engines.trace.spans import Ints, Mask, Spans


@dataclass(frozen=True)
class OpRow:
    """All calls of the operators or kernels with one name."""

    name: str
    calls: int
    total_us: float
    """The sum of the durations; a call nested in a call of the same name counts in both."""
    self_us: float
    """The sum of the self times: without events nested inside."""
    share: float
    """`self_us` as a fraction of the self time of all rows, 0 to 1."""


def op_rows(names: list[str], spans: Spans, own: Ints, chosen: Mask) -> list[OpRow]:
    """Sum the chosen rows by name; the name with most self time comes first."""
    if not chosen.any():
        return []
    used, at = np.unique(spans.name[chosen], return_inverse=True)
    calls = np.bincount(at)
    # Sums of whole nanoseconds are exact in a double below 2**53, which is a hundred days.
    total = np.bincount(at, weights=spans.duration[chosen])
    self_time = np.bincount(at, weights=own[chosen])
    everything = float(self_time.sum())
    rows = [
        OpRow(
            names[int(name)],
            int(calls[row]),
            float(total[row]) / 1000,
            float(self_time[row]) / 1000,
            float(self_time[row]) / everything if everything else 0.0,
        )
        for row, name in enumerate(used)
    ]
    return sorted(rows, key=lambda row: (-row.self_us, row.name))
