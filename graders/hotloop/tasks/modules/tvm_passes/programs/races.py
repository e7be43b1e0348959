"""Find iterations that run at the same time and write to the same element.

The schedule primitives refuse to make such a loop. A module written by hand, or one whose block
declares a reduction axis spatial, can contain one; on a single thread it even computes the right
values. So the program is analyzed instead of run: the index of each store is computed for
neighboring iterations, because an index may mention a variable without depending on it.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np
from accesses import Access, Unknown, accesses, scope, thread_axis
from tvm import tirx

_AT_ONCE = (tirx.ForKind.PARALLEL, tirx.ForKind.THREAD_BINDING, tirx.ForKind.VECTORIZED)
MOST_POINTS = 1 << 16
"""Most iterations that are checked for one store in one loop: the first ones of each loop in it."""


def mismatches(function: tirx.PrimFunc) -> Iterator[str]:
    """Yield a message fragment for each store that several iterations make to the same element."""
    everything = list(accesses(function.body))
    parameters = set(function.params)
    for access in everything:
        for loop in access.loops:
            if not access.is_store or loop.kind not in _AT_ONCE:
                continue
            try:
                apart = _tells_apart(loop, access)
            except Unknown as unknown:
                yield f"where it stores to {access.buffer.name!r} cannot be told: {unknown}"
                return
            if not apart and not _is_private(access.buffer, loop, everything, parameters):
                yield (
                    f"iterations of the loop {loop.loop_var.name!r} run at the same time and store "
                    f"to the same elements of {access.buffer.name!r}"
                )


def _tells_apart(loop: Any, access: Access) -> bool:
    """Whether each iteration stores to other elements, whatever the loops nested in it do.

    Loops over the same threads count as one: their variables always have the same value.
    """
    own = _key(loop)
    keys = list(dict.fromkeys(map(_key, access.loops)))
    varied = keys[keys.index(own) :]
    extents = {
        key: max(_literal(each.extent) for each in access.loops if _key(each) == key)
        for key in varied
    }
    while prod(extents.values()) > MOST_POINTS:
        # Halve the loop's own extent last: distant iterations may also meet.
        largest = max(varied, key=lambda key: (key != own and extents[key] > 2, extents[key]))
        extents[largest] = (extents[largest] + 1) // 2
    grid = np.meshgrid(*(np.arange(n) for n in extents.values()), indexing="ij")
    steps = dict(zip(extents, grid, strict=True))
    # Loops around it stay at their first iteration.
    at = {
        each.loop_var: _literal(each.min) + steps.get(_key(each), np.int64(0))
        for each in access.loops
    }
    elements = np.broadcast_to(access.elements(at), grid[0].shape)
    stores = elements * extents[own] + steps[own]
    return len(np.unique(stores)) == len(np.unique(elements))


def _key(loop: Any) -> str:
    """Return a key that is the same for loops over the same threads."""
    return thread_axis(loop) or str(hash(loop.loop_var))


def _literal(expression: Any) -> int:
    if isinstance(expression, int | tirx.IntImm):
        return int(expression)
    raise Unknown(f"a loop around it is {str(expression)[:60]} long, which is no number")


def _is_private(buffer: Any, loop: Any, everything: list[Access], parameters: set[Any]) -> bool:
    """Whether each iteration of the loop has its own copy of the buffer.

    Registers belong to one thread, and shared memory to one thread block, if all accesses are in
    that thread or block. A buffer that is allocated and only used inside the loop is allocated
    there when the program is lowered.
    """
    if buffer in parameters:
        return False
    if loop.thread_binding is not None:
        of_blocks = scope(buffer) == "shared" and thread_axis(loop).startswith("blockIdx")
        if scope(buffer) != "local" and not of_blocks:
            return False
    same = (access for access in everything if access.buffer.same_as(buffer))
    return all(any(_key(loop) == _key(other) for other in access.loops) for access in same)
