"""Chooses a GPU window's number of calls and legs, and the size of its tensors.

A workload is designed for a GPU with much memory. A smaller one gets fewer rows, which are
independent of each other. The same number is used on both sides, since it depends only on the GPU.
"""

import math
from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.gpu.memory import Layout
from hotloop.judge.gpu.window import RUN_TIMEOUT_S, TimedDeviceWorker

T = TypeVar("T")

WINDOW_S = 0.045
MOST_CALLS = 256
MOST_LEGS = 16
WARMUP_WINDOWS = 3
MEMORY_SHARE = 0.35
"""Share of the free memory for one leg's inputs and outputs."""

FEWEST_CALLS = 4
"""Minimum number of calls in a leg's memory; if they do not fit, the calls get fewer rows."""

L2_TIMES = 5
"""Minimum size of a leg's tensors as a multiple of L2, so that L2 holds none of them."""


def lengthen(side: TimedDeviceWorker, require: Callable[[], None] = lambda: None) -> float:
    """Plan a window of at least WINDOW_S: more calls while they fit in memory, then more legs.

    require: called once the first window is planned; it may raise a Ruling.

    Returns the seconds per call of the fastest window. Raises Ruling if the task's time runs out
    first.
    """
    first = fitting(side, 0)
    count, most = limits(side, first)
    specs = [fitting(side, i) for i in range(count)]
    side.plan(specs)
    require()
    while True:
        fastest = min(_seconds(side) for _ in range(WARMUP_WINDOWS))
        side.timeout_s = min(RUN_TIMEOUT_S, max(5.0, 50 * fastest))
        if fastest >= WINDOW_S:
            return fastest / count
        wanted = math.ceil(count * WINDOW_S * 1.1 / fastest)
        if count >= most:
            side.plan(specs, legs=min(MOST_LEGS, math.ceil(wanted / count)))
            return fastest / count
        count = min(most, max(count + 1, min(wanted, 16 * count)))
        specs += [fitting(side, i) for i in range(len(specs), count)]
        side.plan(specs)


def limits(side: TimedDeviceWorker, spec: CallSpec) -> tuple[int, int]:
    """Return the minimum and maximum number of calls of a leg, from L2 size and free memory."""
    size = call_bytes(spec)
    free, _ = side.card.driver.memory()
    most = max(1, min(MOST_CALLS, int(MEMORY_SHARE * free) // size))
    fewest = math.ceil(L2_TIMES * side.card.facts.l2_bytes / size)
    return min(most, max(1, fewest)), most


def fitting(side: TimedDeviceWorker, index: int) -> CallSpec:
    """Return call `index` of the workload, with as many rows as fit in the GPU's memory."""
    spec = side.workload.spec(side.seeds.shapes(), index)
    rows = spec.out.shape[0]
    while rows > 1 and FEWEST_CALLS * call_bytes(spec) > MEMORY_SHARE * side.card.facts.total_bytes:
        spec = _with_rows(spec, rows, -(-rows // 2))
        rows = spec.out.shape[0]
    return spec


def call_bytes(spec: CallSpec) -> int:
    """Return the bytes of one call's tensors."""
    layout = Layout.of([spec])
    return layout.input_bytes + layout.output_bytes


def _with_rows(spec: CallSpec, before: int, rows: int) -> CallSpec:
    """Return the same call, with `rows` rows in each tensor that has `before` rows."""

    def fewer(part: T) -> T:
        if isinstance(part, TensorSpec) and part.shape[:1] == (before,):
            return replace(part, shape=(rows, *part.shape[1:]))
        return part

    return CallSpec(tuple(map(fewer, spec.arguments)), fewer(spec.out))


def _seconds(side: TimedDeviceWorker) -> float:
    return side.window([False] * len(side.calls)).seconds
