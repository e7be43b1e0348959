"""Measure how much of what a warp fetches from global memory it uses.

Global memory is fetched in sectors of 32 bytes. If the threads of a warp load neighbouring
elements, every byte of a sector is used; if each loads from its own row, most bytes are wasted.
Checked are the loads that fill a cache in shared memory, with all surrounding loops at their first
iteration.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import tvm_ffi
from tvm import ir, tirx
from tvm.s_tir import SBlockRealize

WARP = 32
SECTOR_BYTES = 32
LEAST_USED = 0.75

_Values = dict[Any, int]

_OPERATIONS = {
    "prim.Add": lambda a, b: a + b,
    "prim.Sub": lambda a, b: a - b,
    "prim.Mul": lambda a, b: a * b,
    "prim.FloorDiv": lambda a, b: a // b,
    "prim.FloorMod": lambda a, b: a % b,
    "prim.Min": min,
    "prim.Max": max,
}


def mismatches(function: tirx.PrimFunc) -> Iterator[str]:
    """Yield a message fragment for each copy that uses less than LEAST_USED of what it fetches."""
    for source, shares in _copies(function.body, ()):
        if shares < LEAST_USED:
            yield (
                f"a warp uses {shares:.0%} of the sectors that it fetches from {source!r}: let "
                "neighbouring threads load neighbouring elements of a row"
            )


def _copies(node: Any, loops: tuple[Any, ...]) -> Iterator[tuple[str, float]]:
    """Yield each copy to shared memory: its source's name and the used share of fetched bytes."""
    if isinstance(node, tirx.For):
        yield from _copies(node.body, (*loops, node))
    elif isinstance(node, tirx.SeqStmt):
        for part in node.seq:
            yield from _copies(part, loops)
    elif isinstance(node, SBlockRealize):
        body = node.block.body
        if isinstance(body, tirx.BufferStore) and str(body.buffer.ty.storage_scope) == "shared":
            yield from _of_copy(node, body, loops)
        else:
            yield from _copies(body, loops)


def _of_copy(realize: Any, store: Any, loops: tuple[Any, ...]) -> Iterator[tuple[str, float]]:
    loads: list[Any] = []
    tvm_ffi.structural_walk(store.value, (ir.TensorLoad, loads.append))
    for load in loads:
        if str(load.source.ty.storage_scope) != "global":
            continue
        used = {place for values in _warp(loops) for place in _place(load, realize, values)}
        sectors = {4 * place // SECTOR_BYTES for place in used}
        yield str(load.source.name), 4 * len(used) / (SECTOR_BYTES * len(sectors))


def _warp(loops: tuple[Any, ...]) -> Iterator[_Values]:
    """Yield the loop variables' values for a block's first 32 threads, each with all its lanes."""
    start = {loop.loop_var: int(loop.min) for loop in loops}
    lanes = [loop for loop in loops if loop.kind == tirx.ForKind.VECTORIZED]
    # Several loops around a copy may be bound to the same axis: that is one index.
    threads = {_axis(loop): int(loop.extent) for loop in loops if _axis(loop).startswith("thread")}
    for number in range(WARP):
        index, rest = {}, number
        for axis in sorted(threads):
            index[axis] = rest % threads[axis]
            rest //= threads[axis]
        if rest:
            return
        thread = {loop.loop_var: index[_axis(loop)] for loop in loops if _axis(loop) in index}
        for lane in product(*(range(int(loop.extent)) for loop in lanes)):
            chosen = zip((loop.loop_var for loop in lanes), lane, strict=True)
            yield {**start, **thread, **dict(chosen)}


def _axis(loop: Any) -> str:
    return str(loop.thread_binding.thread_tag) if loop.thread_binding is not None else ""


def _place(load: Any, realize: Any, values: _Values) -> Iterator[int]:
    """Yield the flat index of the loaded element in its buffer."""
    axes = zip(realize.block.iter_vars, realize.iter_values, strict=True)
    inside = {**values, **{axis.var: _number(value, values) for axis, value in axes}}
    place = 0
    for index, extent in zip(load.indices, load.source.ty.shape, strict=True):
        place = place * int(extent) + _number(index, inside)
    yield place


def _number(expression: Any, values: _Values) -> int:
    """Evaluate an index. Raises ValueError for an expression that schedules do not produce."""
    if isinstance(expression, tirx.IntImm):
        return int(expression)
    if expression in values:
        return values[expression]
    operation = _OPERATIONS.get(f"prim.{type(expression).__name__}")
    if operation is None:
        raise ValueError(f"{expression} is no index that a schedule makes")
    return operation(_number(expression.a, values), _number(expression.b, values))
