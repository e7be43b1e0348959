"""Rows of the timeline: steps, ranges, operators by thread and depth, calls, GPU streams."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from itertools import chain

import numpy as np

from hotloop.engines.trace.events import is_launch, is_wait
from hotloop.engines.trace.model import Trace
from hotloop.engines.trace.spans import Ints, Mask, Spans, joined

LANES = ("steps", "ranges", "ops", "calls", "gpu")
"""All lanes, from top to bottom."""

MOST_THREADS = 4
MOST_STREAMS = 8
MOST_DEPTH = 8

_NESTED = {"ranges": ("range", "range", "ranges"), "ops": ("cpu_op", "op", "CPU operators")}
"""Lane -> kind of its events, their color, and its heading."""
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
    by_lane = (_MAKERS[lane](trace, start, end) for lane in LANES if lane in lanes)
    return [group for group in chain.from_iterable(by_lane) if group.lines]


def _steps(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    spans = trace.spans("step")
    if _inside(spans, start, end).any():
        yield RowGroup("steps", "steps", [[TraceRow("step", spans)]])


def _nested(trace: Trace, start: int, end: int, *, lane: str) -> Iterator[RowGroup]:
    """Yield one group per thread, the busiest first, with one line per depth."""
    kind, color, title = _NESTED[lane]
    spans, depth = trace.spans(kind), trace.nesting(kind).depth
    visible = _inside(spans, start, end)
    busy = _busiest(spans, visible)
    for thread in busy[:MOST_THREADS]:
        own = visible & (spans.lane == thread)
        levels: list[int] = np.unique(depth[own]).tolist()
        lines = [
            [TraceRow(color, spans.where(own & (depth == level)))] for level in levels[:MOST_DEPTH]
        ]
        heading = f"{title} · thread {trace.lanes[thread][1]}"
        if len(levels) > MOST_DEPTH:
            heading += f" ({len(levels) - MOST_DEPTH} deeper levels are not drawn)"
        yield RowGroup(lane, heading, lines)
    if len(busy) > MOST_THREADS:
        yield RowGroup(lane, f"{len(busy) - MOST_THREADS} more threads are not drawn", [[]])


def _calls(trace: Trace, start: int, end: int) -> Iterator[RowGroup]:
    """Yield CUDA launches and waits of the CPU, one group per thread."""
    spans = joined([trace.spans("cuda_runtime"), trace.spans("cuda_driver")])
    visible = _inside(spans, start, end)
    launch = visible & trace.named(spans, is_launch)
    wait = visible & trace.named(spans, is_wait)
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
    drawn = streams[:MOST_STREAMS]
    drawn.sort(key=lambda lane: [str(number).zfill(20) for number in trace.lanes[lane]])
    for stream in drawn:
        line = [
            TraceRow(_STREAM_KINDS[kind], spans.where(spans.lane == stream))
            for kind, spans in kinds.items()
        ]
        device, number = trace.lanes[stream]
        yield RowGroup("gpu", f"GPU {device} · stream {number}", [line])
    if len(streams) > MOST_STREAMS:
        yield RowGroup("gpu", f"{len(streams) - MOST_STREAMS} more streams are not drawn", [[]])


_MAKERS = {
    "steps": _steps,
    **{lane: partial(_nested, lane=lane) for lane in _NESTED},
    "calls": _calls,
    "gpu": _gpu,
}


def _inside(spans: Spans, start: int, end: int) -> Mask:
    return (spans.start < end) & (spans.end > start)


def _busiest(spans: Spans, visible: Mask) -> list[int]:
    """Return the lanes of the selected events, the one with most time first."""
    lanes: Ints = spans.lane[visible]
    used, at = np.unique(lanes, return_inverse=True)
    time = np.bincount(at, weights=spans.duration[visible], minlength=len(used))
    return used[np.argsort(-time, kind="stable")].tolist()
