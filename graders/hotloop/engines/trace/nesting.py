"""Computes how events of one thread nest: the depth and self time of each.

At each moment the time counts for the running event that started last. If events nest properly, as
calls do, that is the innermost one; if rounding makes a child end a nanosecond after its parent,
nothing is counted twice.
"""

from array import array
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.engines.trace.spans import Ints, Spans, ints

_BLOCK = 1 << 16  # rows converted to Python numbers at a time, which take four times the memory


@dataclass(frozen=True)
class Nesting:
    """For each row: its self time in nanoseconds, and the number of events around it."""

    own: Ints
    depth: Ints


def nesting(spans: Spans) -> Nesting:
    """Compute nesting per thread. Of events that start together, the longest is the outermost."""
    own, depth = array("q", bytes(8 * len(spans))), array("i", bytes(4 * len(spans)))
    rows: list[int] = []  # the running events, outermost first, and the end of each
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
    """Yield row, thread, start and end of each event in order of execution."""
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
    """End the innermost event: the time since `now` is its self time. Return the new time."""
    row, end = rows.pop(), ends.pop()
    if end <= now:
        return now
    own[row] += end - now
    return end
