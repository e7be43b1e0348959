"""What a row of the timeline shows: one bar an event, or one for many that are too small to see."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.trace.spans import Ints, Spans

_BLOCK = 1 << 16  # rows that are Python's numbers at a time


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar from start to end, in nanoseconds. `name` is that of the event that took longest."""

    start: int
    end: int
    name: int
    longest: int
    count: int
    busy: int
    """The sum of the durations of its events."""


def bars(spans: Spans, start: int, end: int, narrow: int) -> list[Bar]:
    """Of the events of one row, by start, as far as they lie between two times.

    Events shorter than `narrow` that are closer together than that become one bar.
    """
    inside = np.flatnonzero((spans.start < end) & (spans.end > start))
    return merged(_single(spans, inside, start, end), narrow)


def _single(spans: Spans, rows: Ints, start: int, end: int) -> Iterator[Bar]:
    for at in range(0, len(rows), _BLOCK):
        part = spans.where(rows[at : at + _BLOCK])
        columns = (part.start.tolist(), part.end.tolist(), part.name.tolist())
        for first, last, name in zip(*columns, strict=True):
            left, right = max(first, start), min(last, end)
            yield Bar(left, right, name, last - first, 1, right - left)


def merged(row: Iterable[Bar], narrow: int) -> list[Bar]:
    """Join neighbours that are shorter than `narrow` and closer than that."""
    out: list[Bar] = []
    for bar in row:
        last = out[-1] if out else None
        if last is not None and _joins(last, bar, narrow):
            out[-1] = _together(last, bar)
        else:
            out.append(bar)
    return out


def _joins(last: Bar, bar: Bar, narrow: int) -> bool:
    small = bar.end - bar.start < narrow and (last.count > 1 or last.end - last.start < narrow)
    return small and bar.start - last.end < narrow


def _together(last: Bar, bar: Bar) -> Bar:
    longest = max(last, bar, key=lambda part: part.longest)
    return Bar(
        last.start,
        max(last.end, bar.end),
        longest.name,
        longest.longest,
        last.count + bar.count,
        last.busy + bar.busy,
    )
