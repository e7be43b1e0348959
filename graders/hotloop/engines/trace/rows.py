"""Rows of the timeline: steps, ranges, operators by thread and depth, calls, GPU streams."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from hotloop.engines.trace.event_collection import Lane
from hotloop.engines.trace.events import is_launch, is_wait
from hotloop.engines.trace.model import Trace
from hotloop.engines.trace.spans import Ints, Mask, Spans, joined

LANES = ("steps", "ranges", "ops", "calls", "gpu")
"""All lanes, from top to bottom."""

MOST_THREADS = 4
MOST_STREAMS = 8
MOST_DEPTH = 8

_STREAM_KINDS = {"kernel": "kernel", "gpu_memcpy": "copy", "gpu_memset": "memset"}


@dataclass(frozen=True)
class TraceRow:
    """Events of one color; if they overlap, they are drawn over each other."""

    color: str
    spans: Spans


@dataclass(frozen=True)
class RowGroup:
    """Rows under one heading. Rows of an inner list share a line."""

    lane: str
    heading: str
    lines: list[list[TraceRow]]


def groups(trace: Trace, lanes: tuple[str, ...], start: int, end: int) -> list[RowGroup]:
    """Return the groups that have events between two times, from top to bottom."""
    found: list[RowGroup] = []
    for lane in LANES:
        if lane in lanes:
            found += _MAKERS[lane](trace, start, end)
    return [group for group in found if group.lines]


def _steps(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    spans = trace.spans("step")
    if _inside(spans, start, end).any():
        yield RowGroup("steps", "steps", [[TraceRow("step", spans)]])


def _ranges(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    yield from _nested(trace, "range", "ranges", start, end)


def _ops(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    yield from _nested(trace, "cpu_op", "ops", start, end)


def _nested(trace: Trace, kind: str, lane: str, start: int, end: int) -> Iterator[RowGroup]:
    """Yield one group per thread, the busiest first, with one line per depth."""
    spans, depth = trace.spans(kind), trace.nesting(kind).depth
    seen = _inside(spans, start, end)
    busy = _busiest(spans, seen)
    for thread in busy[:MOST_THREADS]:
        own = seen & (spans.lane == thread)
        levels: list[int] = np.unique(depth[own]).tolist()
        lines = [
            [TraceRow("range" if kind == "range" else "op", spans.where(own & (depth == level)))]
            for level in levels[:MOST_DEPTH]
        ]
        title = "ranges" if kind == "range" else "CPU operators"
        heading = f"{title} · thread {trace.lanes[thread][1]}"
        yield RowGroup(lane, heading + _left_out("levels", len(levels) - MOST_DEPTH), lines)
    if len(busy) > MOST_THREADS:
        yield RowGroup(lane, f"{len(busy) - MOST_THREADS} more threads are not drawn", [[]])


def _calls(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    """Yield CUDA launches and waits of the CPU, one group per thread."""
    spans = joined([trace.spans("cuda_runtime"), trace.spans("cuda_driver")])
    seen = _inside(spans, start, end)
    launch = seen & trace.named(spans, is_launch)
    wait = seen & trace.named(spans, is_wait)
    for thread in _busiest(spans, launch | wait)[:MOST_THREADS]:
        own = spans.lane == thread
        line = [
            TraceRow("launch", spans.where(own & launch)),
            TraceRow("wait", spans.where(own & wait)),
        ]
        heading = f"CUDA launches and waits · thread {trace.lanes[thread][1]}"
        yield RowGroup("calls", heading, [line])


def _gpu(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    kinds = {kind: trace.spans(kind) for kind in _STREAM_KINDS}
    every = joined(list(kinds.values()))
    streams = _busiest(every, _inside(every, start, end))
    for stream in sorted(streams[:MOST_STREAMS], key=lambda lane: _by_number(trace.lanes[lane])):
        line = [
            TraceRow(_STREAM_KINDS[kind], spans.where(spans.lane == stream))
            for kind, spans in kinds.items()
        ]
        device, number = trace.lanes[stream]
        yield RowGroup("gpu", f"GPU {device} · stream {number}", [line])
    if len(streams) > MOST_STREAMS:
        yield RowGroup("gpu", f"{len(streams) - MOST_STREAMS} more streams are not drawn", [[]])


_MAKERS = {"steps": _steps, "ranges": _ranges, "ops": _ops, "calls": _calls, "gpu": _gpu}


def _inside(spans: Spans, start: int, end: int) -> Mask:
    return (spans.start < end) & (spans.end > start)


def _busiest(spans: Spans, seen: Mask) -> list[int]:
    """Return the lanes of the selected events, the one with most time first."""
    lanes: Ints = spans.lane[seen]
    used, at = np.unique(lanes, return_inverse=True)
    time = np.bincount(at, weights=spans.duration[seen], minlength=len(used))
    return used[np.argsort(-time, kind="stable")].tolist()


def _by_number(lane: Lane) -> tuple[str, ...]:
    return tuple(str(part).zfill(20) for part in lane)


def _left_out(what: str, count: int) -> str:
    return f" ({count} deeper {what} are not drawn)" if count > 0 else ""
