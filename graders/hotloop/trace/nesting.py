"""How events of one thread lie within each other: their depth, and the time that is their own.

At each moment the time belongs to the event that started last of those that run. Where events nest
properly, as calls do, that is the innermost one; where a rounded time makes a child end a
nanosecond after its parent, nothing is counted twice.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.trace.spans import Ints, Spans, ints

_BLOCK = 1 << 16  # rows that are Python's numbers at a time, which take four times the memory


@dataclass(frozen=True)
class Nesting:
    """For each row: nanoseconds in no event within it, and in how many others it lies."""

    own: Ints
    depth: Ints


def nesting(spans: Spans) -> Nesting:
    """Of all rows, thread by thread. Of two that start together the longer is the outer one."""
    own, depth = array("q", bytes(8 * len(spans))), array("i", bytes(4 * len(spans)))
    rows: list[int] = []  # the events that run, the outermost first, and when each ends
    ends: list[int] = []
    thread, now = -1, 0
    for row, lane, start, end in _in_order(spans):
        if lane != thread:
            _finish(rows, ends, own, now)
            thread = lane
        while rows:
            if ends[-1] > start:
                own[rows[-1]] += start - now
                break
            now = _end(rows, ends, own, now)
        now = start
        depth[row] = len(rows)
        rows.append(row)
        ends.append(end)
    _finish(rows, ends, own, now)
    return Nesting(ints(own), ints(depth))


def _in_order(spans: Spans) -> Iterator[tuple[int, int, int, int]]:
    """Row, thread, start and end of each event, as a program would meet them."""
    order = np.lexsort((-spans.duration, spans.start, spans.lane))
    for at in range(0, len(order), _BLOCK):
        rows = order[at : at + _BLOCK]
        part = spans.where(rows)
        columns = (rows, part.lane, part.start, part.end)
        yield from zip(*(column.tolist() for column in columns), strict=True)


def _finish(rows: list[int], ends: list[int], own: "array[int]", now: int) -> None:
    while rows:
        now = _end(rows, ends, own, now)


def _end(rows: list[int], ends: list[int], own: "array[int]", now: int) -> int:
    """The innermost event ends; what was not yet given away is its own."""
    row, end = rows.pop(), ends.pop()
    if end <= now:
        return now
    own[row] += end - now
    return end
