"""The figures of a trace that tell the sicknesses apart, read by `hotloop.engines.trace`.

Ranges and operators are asked for by name. Time is that within the steps.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np

from hotloop.engines.trace import Trace
from hotloop.engines.trace.intervals import Intervals
from hotloop.engines.trace.spans import joined

Kind = Literal["share", "calls", "bytes"]


@dataclass(frozen=True)
class Figure:
    """`share`: the part of the steps' time in events of these names. `calls`: how many of these
    operators a step has. `bytes`: what a step allocates, in blocks of `from_bytes` and more.
    """

    kind: Kind
    names: tuple[str, ...] = ()
    from_bytes: int = 0


def value(trace: Trace, figure: Figure) -> float:
    """The figure of one trace; per step for calls and bytes."""
    if figure.kind == "share":
        return share(trace, figure.names)
    if figure.kind == "calls":
        return calls(trace, figure.names)
    return allocated(trace, figure.from_bytes)


def share(trace: Trace, names: Sequence[str]) -> float:
    """From 0 to 1. Time in several of the events at once counts once."""
    steps = trace.window()
    kinds = [trace.spans(kind) for kind in ("range", "cpu_op")]
    events = joined([rows.where(trace.named(rows, names.__contains__)) for rows in kinds])
    return Intervals(events.start, events.end).shared_with(steps) / steps.length


def calls(trace: Trace, names: Sequence[str]) -> float:
    """Operators of these names a step."""
    rows = [row.calls for row in trace.ops_in_steps() if row.name in names]
    return sum(rows) / len(trace.steps)


def allocated(trace: Trace, from_bytes: int) -> float:
    """Bytes a step, in blocks of at least that size."""
    blocks = [block for block in trace.allocations if block.bytes >= from_bytes]
    at = np.array([round(block.at_us * 1000) for block in blocks], dtype=np.int64)
    size = np.array([block.bytes for block in blocks], dtype=np.int64)
    return int(size[trace.window().hold(at)].sum()) / len(trace.steps)
