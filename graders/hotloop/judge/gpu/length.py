"""How many calls and legs a window on a GPU has, and how large its tensors are.

A workload is made for a card with much memory. On a smaller one it has fewer rows, which do not
depend on each other: the same on both sides, as only the card decides.
"""

import math
from dataclasses import replace
from typing import TypeVar

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.gpu.memory import Layout
from hotloop.judge.gpu.window import RUN_TIMEOUT_S, DeviceSide

T = TypeVar("T")

WINDOW_S = 0.045
MOST_CALLS = 256
MOST_LEGS = 16
WARMUP_WINDOWS = 3
MEMORY_SHARE = 0.35
"""Of the memory that is free: what one leg's inputs and outputs may take."""

FEWEST_CALLS = 4
"""That fit into a leg's memory: where they don't, rows are left out."""

L2_TIMES = 5
"""A leg's tensors are together so many times the L2, so that nothing is found there."""


def lengthen(side: DeviceSide) -> None:
    """Plan a window of at least WINDOW_S: more calls while memory lasts, then more legs.

    Ruling UNDECIDED when the judging's time is over before that is known.
    """
    first = fitting(side, 0)
    count, most = limits(side, first)
    specs = [first]
    while True:
        specs += [fitting(side, i) for i in range(len(specs), count)]
        side.plan(specs)
        fastest = min(_seconds(side) for _ in range(WARMUP_WINDOWS))
        side.timeout_s = min(RUN_TIMEOUT_S, max(5.0, 50 * fastest))
        if fastest >= WINDOW_S:
            return
        wanted = math.ceil(count * WINDOW_S * 1.1 / fastest)
        if count >= most:
            side.plan(specs, legs=min(MOST_LEGS, math.ceil(wanted / count)))
            return
        count = min(most, max(count + 1, min(wanted, 16 * count)))


def limits(side: DeviceSide, spec: CallSpec) -> tuple[int, int]:
    """Fewest and most calls of a leg, from the L2's size and the memory that is free."""
    size = call_bytes(spec)
    free, _ = side.card.driver.memory()
    most = max(1, min(MOST_CALLS, int(MEMORY_SHARE * free) // size))
    fewest = math.ceil(L2_TIMES * side.card.facts.l2_bytes / size)
    return min(most, max(1, fewest)), most


def fitting(side: DeviceSide, index: int) -> CallSpec:
    """Call `index` of the workload, with as many rows as the card has memory for."""
    spec = side.workload.spec(side.seeds.shapes(), index)
    rows = spec.out.shape[0]
    while rows > 1 and FEWEST_CALLS * call_bytes(spec) > MEMORY_SHARE * side.card.facts.total_bytes:
        spec = _with_rows(spec, rows, -(-rows // 2))
        rows = spec.out.shape[0]
    return spec


def call_bytes(spec: CallSpec) -> int:
    """Memory that one call's tensors take."""
    layout = Layout.of([spec])
    return layout.input_bytes + layout.output_bytes


def _with_rows(spec: CallSpec, before: int, rows: int) -> CallSpec:
    """The same call, whose tensors of `before` rows have `rows` of them."""

    def fewer(part: T) -> T:
        if isinstance(part, TensorSpec) and part.shape[:1] == (before,):
            return replace(part, shape=(rows, *part.shape[1:]))
        return part

    return CallSpec(tuple(map(fewer, spec.arguments)), fewer(spec.out))


def _seconds(side: DeviceSide) -> float:
    return side.window([False] * len(side.calls)).seconds
