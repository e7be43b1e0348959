"""Measure how much of what a warp fetches from global memory it uses.

Global memory is fetched in sectors of 32 bytes. If the threads of a warp load neighboring
elements, every byte of a sector is used; if each loads from its own row, most bytes are wasted.
Checked are the loads that fill a cache in shared memory, with all surrounding loops at their first
iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from accesses import accesses, scope, thread_axis
from tvm import tirx

WARP = 32
SECTOR_BYTES = 32
LEAST_USED = 0.75


def mismatches(function: tirx.PrimFunc) -> Iterator[str]:
    """Yield a message fragment for each copy that uses less than LEAST_USED of what it fetches."""
    for access in accesses(function.body):
        to = scope(access.statement.buffer)
        if access.is_store or (scope(access.buffer), to) != ("global", "shared"):
            continue
        used = np.unique(access.elements(_warp(access.loops)))
        sectors = np.unique(4 * used // SECTOR_BYTES)
        share = 4 * used.size / (SECTOR_BYTES * sectors.size)
        if share < LEAST_USED:
            yield (
                f"a warp uses {share:.0%} of the sectors that it fetches from "
                f"{str(access.buffer.name)!r}: let neighboring threads load neighboring elements "
                "of a row"
            )


def _warp(loops: tuple[Any, ...]) -> dict[Any, Any]:
    """Return the loop variables' values for a block's first 32 threads, each with all its lanes."""
    # Several loops around a copy may be bound to the same axis: that is one index.
    threads = {thread_axis(loop): int(loop.extent) for loop in loops}
    threads = {axis: threads[axis] for axis in sorted(threads) if axis.startswith("thread")}
    lanes = [loop for loop in loops if loop.kind == tirx.ForKind.VECTORIZED]
    extents = [min(WARP, prod(threads.values())), *(int(loop.extent) for loop in lanes)]
    number, *lane = np.meshgrid(*map(np.arange, extents), indexing="ij")
    index: dict[str, Any] = {}
    for axis, extent in threads.items():
        index[axis], number = number % extent, number // extent
    start = {loop.loop_var: index.get(thread_axis(loop), int(loop.min)) for loop in loops}
    return start | dict(zip((loop.loop_var for loop in lanes), lane, strict=True))
