"""Finds what in a trace cannot be true, though it can be read: its figures need care.

Each is a kind that Kineto is known to write: times of 0 (kineto#109, pytorch#188481), and durations
that reach over the next kernels of a stream (kineto#136).
"""

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from hotloop.engines.trace.event_collection import ON_GPU, Lane
from hotloop.engines.trace.quantities import time_text
from hotloop.engines.trace.spans import Mask, Spans, joined

_FAR_NS = 60 * 10**9
"""Starts as far from 0 as this are times of a clock, of which 0 is none."""
_OVERLAP = 0.01
"""Share of the GPU's time above which overlaps on a stream are reported."""
_MOST_NAME = 60


def without_lost_times(
    kinds: Mapping[str, Spans],
) -> tuple[dict[str, Spans], int]:
    """Leave out the events at time 0 where all others are far from it; return how many too."""
    lost: dict[str, Mask] = {kind: rows.start == 0 for kind, rows in kinds.items()}
    timed = {kind: rows.where(~lost[kind]) for kind, rows in kinds.items()}
    if min((int(rows.start.min()) for rows in timed.values() if len(rows)), default=0) < _FAR_NS:
        return dict(kinds), 0
    return timed, sum(int(rows.sum()) for rows in lost.values())


def doubts(
    kinds: Mapping[str, Spans], names: Sequence[str], lanes: Sequence[Lane]
) -> Iterator[str]:
    """Yield a sentence for each kind of event that cannot be true. kinds: category -> events."""
    gpu = joined([kinds[kind] for kind in ON_GPU])
    if nothing := int((gpu.duration == 0).sum()):
        yield f"{nothing:,} of {len(gpu):,} GPU events last 0 µs: their durations were lost."
    yield from _overlaps(gpu, names)
    yield from _processes(kinds["user_annotation"], names, lanes)


def _overlaps(gpu: Spans, names: Sequence[str]) -> Iterator[str]:
    """A stream runs one event after the other, but for graphs and programmatic launches."""
    order = np.lexsort((gpu.start, gpu.lane))
    gpu = gpu.where(order)
    same = gpu.lane[1:] == gpu.lane[:-1]
    beyond = np.where(same, gpu.end[:-1] - gpu.start[1:], 0)
    total = int(beyond.clip(0).sum())
    if not total or total <= _OVERLAP * int(gpu.duration.sum()):
        return
    first = int(beyond.argmax())
    name = names[int(gpu.name[first])][:_MOST_NAME]
    yield (
        f"{int((beyond > 0).sum()):,} GPU events reach into the next one of their stream, most of "
        f"all {name!r}, of {time_text(int(gpu.duration[first]) / 1000)}: unless a CUDA graph or a "
        "programmatic launch ran them together, a duration is wrong, and with it the idle share."
    )


def _processes(notes: Spans, names: Sequence[str], lanes: Sequence[Lane]) -> Iterator[str]:
    """Two processes that record the same steps are two ranks."""
    step = np.array([name.startswith("ProfilerStep#") for name in names], dtype=np.bool_)
    rows = notes.where(step[notes.name]) if len(names) else notes
    columns = rows.name.tolist(), rows.lane.tolist()
    pairs: set[tuple[int, int]] = set(zip(*columns, strict=True))
    processes = {lanes[lane][0] for _, lane in pairs}
    numbers: dict[int, set[int | str]] = {}
    for name, lane in pairs:
        numbers.setdefault(name, set()).add(lanes[lane][0])
    if any(len(owners) > 1 for owners in numbers.values()):
        yield (
            f"{len(processes)} processes recorded the same steps: these are several ranks in one "
            "file, and each figure mixes them. Read one rank's file at a time."
        )
