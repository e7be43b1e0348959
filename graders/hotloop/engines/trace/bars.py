"""Bars of a timeline row: one per event, or one for several events too small to see."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.engines.trace.spans import Ints, Spans

_BLOCK = 1 << 16  # rows converted to Python numbers at a time


@dataclass(frozen=True, slots=True)
class TraceBar:
    """A bar from start to end, in nanoseconds, for `count` events.

    name: of the longest of its events. longest: its duration.
    """

    start: int
    end: int
    name: int
    longest: int
    count: int
    busy: int
    """The sum of the durations of its events, in nanoseconds."""

    @property
    def filled(self) -> float:
        """Fraction of the bar that its events fill, at most 1."""
        return min(self.busy / (self.end - self.start), 1.0) if self.end > self.start else 1.0


def bars(spans: Spans, start: int, end: int, narrow: int) -> list[TraceBar]:
    """Return the bars of one row between two times, sorted by start.

    Events of at most `narrow` ns that are less than `narrow` apart share a bar.
    """
    inside = np.flatnonzero((spans.start < end) & (spans.end > start))
    return merged(_single(spans, inside, start, end), narrow)


def _single(spans: Spans, rows: Ints, start: int, end: int) -> Iterator[TraceBar]:
    for at in range(0, len(rows), _BLOCK):
        part = spans.where(rows[at : at + _BLOCK])
        columns = (part.start.tolist(), part.end.tolist(), part.name.tolist())
        for first, last, name in zip(*columns, strict=True):
            left, right = max(first, start), min(last, end)
            yield TraceBar(left, right, name, last - first, 1, right - left)


def merged(row: Iterable[TraceBar], narrow: int) -> list[TraceBar]:
    """Join neighbors of at most `narrow` ns with smaller gaps, to bars of at most twice `narrow`.

    Longer bars would hide how activity varies over time.
    """
    out: list[TraceBar] = []
    for bar in row:
        if out and _joins(out[-1], bar, narrow):
            out[-1] = _together(out[-1], bar)
        else:
            out.append(bar)
    return out


def _joins(last: TraceBar, bar: TraceBar, narrow: int) -> bool:
    small = bar.end - bar.start <= narrow and (last.count > 1 or last.end - last.start <= narrow)
    return small and bar.start - last.end < narrow and bar.end - last.start <= 2 * narrow


def _together(last: TraceBar, bar: TraceBar) -> TraceBar:
    longest = max(last, bar, key=lambda part: part.longest)
    return TraceBar(
        last.start,
        max(last.end, bar.end),
        longest.name,
        longest.longest,
        last.count + bar.count,
        last.busy + bar.busy,
    )
