"""Unions of time intervals: their length, overlap and gaps."""

from __future__ import annotations

import numpy as np

from hotloop.engines.trace.spans import Ints, Mask


class Intervals:
    """A union of intervals [start, end), stored as disjoint sorted intervals."""

    def __init__(self, starts: Ints, ends: Ints) -> None:
        real = ends > starts
        order = np.argsort(starts[real], kind="stable")
        self.starts, self.ends = _merged(starts[real][order], ends[real][order])

    def __len__(self) -> int:
        return len(self.starts)

    @property
    def length(self) -> int:
        """Total length of the intervals."""
        return int((self.ends - self.starts).sum())

    def hold(self, times: Ints) -> Mask:
        """Return a mask of the times that lie in the union."""
        if not len(self):
            return np.zeros(len(times), dtype=np.bool_)
        at = np.searchsorted(self.starts, times, side="right") - 1
        return (at >= 0) & (times < self.ends[np.maximum(at, 0)])

    def shared_with(self, other: Intervals) -> int:
        """Return the length of the intersection with another union."""
        return int((self._before(other.ends) - self._before(other.starts)).sum())

    def gaps(self, start: int, end: int) -> Intervals:
        """Return the parts between two times that the union does not cover."""
        inside = (self.ends > start) & (self.starts < end)
        starts, ends = self.starts[inside], self.ends[inside]
        return Intervals(np.append(start, ends), np.append(starts, end))

    def _before(self, times: Ints) -> Ints:
        """Return, for each time, the length of the union before it."""
        if not len(self):
            return np.zeros(len(times), dtype=np.int64)
        sums = np.append(0, np.cumsum(self.ends - self.starts))
        at = np.searchsorted(self.starts, times, side="right")
        beyond = np.maximum(self.ends[np.maximum(at - 1, 0)] - times, 0)
        return np.where(at > 0, sums[at] - beyond, 0)


def _merged(starts: Ints, ends: Ints) -> tuple[Ints, Ints]:
    """Merge overlapping intervals that are sorted by start."""
    if not len(starts):
        return starts, ends
    reached = np.maximum.accumulate(ends)
    fresh = np.append(True, starts[1:] > reached[:-1])
    last = np.append(np.flatnonzero(fresh)[1:] - 1, len(starts) - 1)
    return starts[fresh], reached[last]
