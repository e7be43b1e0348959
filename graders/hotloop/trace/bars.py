"""What a row of the timeline shows: one bar an event, or one for many that are too small to see."""

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

    @property
    def filled(self) -> float:
        """Which part of the bar its events fill, at most all of it."""
        return min(self.busy / (self.end - self.start), 1.0) if self.end > self.start else 1.0


def bars(spans: Spans, start: int, end: int, narrow: int) -> list[Bar]:
    """Of the events of one row, by start, as far as they lie between two times.

    Events that are not longer than `narrow` and closer together than that share a bar.
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
    """Join neighbours that are at most `narrow` and closer than that, to bars of twice as much.

    A longer bar would hide when more and when less was going on.
    """
    out: list[Bar] = []
    for bar in row:
        if out and _joins(out[-1], bar, narrow):
            out[-1] = _together(out[-1], bar)
        else:
            out.append(bar)
    return out


def _joins(last: Bar, bar: Bar, narrow: int) -> bool:
    small = bar.end - bar.start <= narrow and (last.count > 1 or last.end - last.start <= narrow)
    return small and bar.start - last.end < narrow and bar.end - last.start <= 2 * narrow


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
