"""How many calls and legs a window on a GPU has."""

from __future__ import annotations

import math

from hotloop.judge.calls import CallSpec
from hotloop.judge.gpu.memory import Layout
from hotloop.judge.gpu.window import DeviceSide

WINDOW_S = 0.045
MOST_CALLS = 256
MOST_LEGS = 16
WARMUP_WINDOWS = 3
MEMORY_SHARE = 0.35
"""Of the memory that is free: what one leg's inputs and outputs may take."""

L2_TIMES = 5
"""A leg's tensors are together so many times the L2, so that nothing is found there."""


def lengthen(side: DeviceSide) -> None:
    """Plan a window of at least WINDOW_S: more calls while memory lasts, then more legs."""
    shapes = side.seeds.shapes
    first = side.workload.spec(shapes(), 0)
    count, most = limits(side, first)
    specs = [first]
    while True:
        specs += [side.workload.spec(shapes(), i) for i in range(len(specs), count)]
        side.plan(specs)
        fastest = min(_seconds(side) for _ in range(WARMUP_WINDOWS))
        if fastest >= WINDOW_S:
            return
        wanted = math.ceil(count * WINDOW_S * 1.1 / fastest)
        if count >= most:
            side.plan(specs, legs=min(MOST_LEGS, math.ceil(wanted / count)))
            return
        count = min(most, max(count + 1, min(wanted, 16 * count)))


def limits(side: DeviceSide, spec: CallSpec) -> tuple[int, int]:
    """Fewest and most calls of a leg, from the L2's size and the memory that is free."""
    layout = Layout.of([spec])
    size = layout.input_bytes + layout.output_bytes
    free, _ = side.card.driver.memory()
    most = max(1, min(MOST_CALLS, int(MEMORY_SHARE * free) // size))
    fewest = math.ceil(L2_TIMES * side.card.facts.l2_bytes / size)
    return min(most, max(1, fewest)), most


def _seconds(side: DeviceSide) -> float:
    return side.window([False] * len(side.calls)).seconds
