"""Events of one kind as columns: a trace has a million, too many for one object each."""

from __future__ import annotations

from array import array
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Spans:
    """Columns of equal length, in file order. Times are integer nanoseconds.

    `name` and `lane` index the trace's tables; `size` is the bytes that an event moved.
    """

    name: Ints
    lane: Ints
    start: Ints
    duration: Ints
    size: Ints

    def __len__(self) -> int:
        return len(self.start)

    @property
    def end(self) -> Ints:
        """End time of each event."""
        return self.start + self.duration

    def where(self, rows: Mask | Ints | slice) -> Spans:
        """Return the rows of a mask or a slice, or of indices in their order."""
        return Spans(
            self.name[rows], self.lane[rows], self.start[rows], self.duration[rows], self.size[rows]
        )

    def by_start(self) -> Spans:
        """Return the rows sorted by start."""
        return self.where(np.argsort(self.start, kind="stable"))


class Rows:
    """Spans under construction while a file is read: 32 bytes per event."""

    def __init__(self) -> None:
        self.name = array("i")
        self.lane = array("i")
        self.start = array("q")
        self.duration = array("q")
        self.size = array("q")

    def add(self, name: int, lane: int, start: int, duration: int, size: int = 0) -> None:
        """Append one event."""
        self.name.append(name)
        self.lane.append(lane)
        self.start.append(start)
        self.duration.append(duration)
        self.size.append(size)

    def spans(self) -> Spans:
        """Return the events collected so far."""
        return Spans(*map(ints, (self.name, self.lane, self.start, self.duration, self.size)))


def joined(parts: list[Spans]) -> Spans:
    """Concatenate spans and sort the rows by start."""
    columns = zip(*((p.name, p.lane, p.start, p.duration, p.size) for p in parts), strict=True)
    together = Spans(*(np.concatenate(column) for column in columns))
    return together.by_start()


def ints(values: array[Any]) -> Ints:
    """View an array as a NumPy array of its type, without a copy."""
    return np.frombuffer(values, dtype=values.typecode) if values else np.zeros(0, dtype=np.int64)
