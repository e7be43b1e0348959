"""Rewrite a kernel so that one thread can run it: each statement for all threads, then the next.

Threads of a block fill a shared-memory cache together and wait at a barrier before they read it.
Running the whole kernel thread by thread would break that. So a loop over threads is moved inward,
past the loops that contain several statements, to surround each statement by itself: all threads
do the first one, then all do the second. An element read before it is loaded is missing, as on a
GPU.
"""

from __future__ import annotations

from typing import Any

import tvm_ffi
from accesses import scope, thread_axis
from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize


def in_turn(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """Return the function with serial loops only, in the order that barriers would ensure."""
    moved = _moved(function.body, ())
    # Thread loops that remain are inside blocks that were moved as one statement.
    return function.with_body(tvm_ffi.structural_map(moved, (tirx.For, _plain)))


def with_given_caches(function: tirx.PrimFunc) -> tuple[tirx.PrimFunc, list[list[int]]]:
    """Return the function with further parameters in place of its caches, and their shapes."""
    plain: dict[Any, Any] = {}

    def of_global(variable: Any) -> Any:
        ty = variable.ty
        if not isinstance(ty, tirx.BufferType) or scope(variable) == "global":
            return variable
        return plain.setdefault(variable, tirx.decl_buffer(ty.shape, ty.dtype, variable.name))

    caches: list[Any] = []

    def without_caches(block: Any) -> Any:
        caches.extend(block.alloc_buffers)
        return _rebuilt(block, block.body, [])

    replace = [(tirx.Var, of_global), (SBlock, without_caches)]
    body = tvm_ffi.structural_map(function.body, replace)
    shapes = [[int(extent) for extent in cache.ty.shape] for cache in caches]
    return tirx.PrimFunc([*function.params, *caches], body), shapes


def _plain(loop: Any) -> Any:
    return _serial(loop, loop.loop_var, loop.body) if thread_axis(loop) else loop


def _moved(node: Any, waiting: tuple[Any, ...]) -> Any:
    """Return the statement with the thread loops in `waiting` moved around each of its parts."""
    if isinstance(node, tirx.SeqStmt):
        return tirx.SeqStmt([_moved(part, waiting) for part in node.seq])
    if isinstance(node, SBlockRealize) and not node.block.iter_vars:
        block = node.block
        inner = _rebuilt(block, _moved(block.body, waiting), block.alloc_buffers)
        return SBlockRealize(node.iter_values, node.predicate, inner)
    if not isinstance(node, tirx.For):
        return _around(node, waiting)
    tag = thread_axis(node)
    if tag.startswith(("threadIdx", "vthread")):
        return _moved_threads(node, tag, waiting)
    if not tag and not _holds_several(node.body):
        return _around(node, waiting)
    return _serial(node, node.loop_var, _moved(node.body, waiting))


def _moved_threads(node: Any, tag: str, waiting: tuple[Any, ...]) -> Any:
    """Add a thread loop to `waiting`, unless a loop over the same threads is already there."""
    for loop in waiting:
        if thread_axis(loop) == tag and int(loop.extent) == int(node.extent):
            return _moved(_with_value(node.body, node.loop_var, loop.loop_var), waiting)
    return _moved(node.body, (*waiting, node))


def _rebuilt(block: Any, body: Any, caches: Any) -> SBlock:
    return SBlock(
        block.iter_vars,
        block.reads,
        block.writes,
        block.name_hint,
        body,
        block.init,
        caches,
        block.match_buffers,
        block.annotations,
    )


def _around(node: Any, waiting: tuple[Any, ...]) -> Any:
    """Wrap the statement in the waiting loops, each with a new variable."""
    for loop in reversed(waiting):
        variable = tirx.Var(loop.loop_var.name, loop.loop_var.ty)
        node = _serial(loop, variable, _with_value(node, loop.loop_var, variable))
    return node


def _serial(loop: Any, variable: Any, body: Any) -> Any:
    kind = tirx.ForKind.SERIAL if thread_axis(loop) else loop.kind
    return tirx.For(variable, loop.min, loop.extent, kind, body)


def _holds_several(node: Any) -> bool:
    """Whether it contains statement sequences or thread loops, between which a barrier may be."""
    several: list[Any] = []

    def bound(loop: Any) -> None:
        if thread_axis(loop):
            several.append(loop)

    tvm_ffi.structural_walk(node, [(tirx.SeqStmt, several.append), (tirx.For, bound)])
    return bool(several)


def _with_value(node: Any, variable: Any, value: Any) -> Any:
    replace = (tirx.Var, lambda used: value if used.same_as(variable) else used)
    return tvm_ffi.structural_map(node, replace)
