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
from tvm import tirx
from tvm.s_tir import SBlock, SBlockRealize


def in_turn(function: tirx.PrimFunc) -> tirx.PrimFunc:
    """Return the function with serial loops only, in the order that barriers would ensure."""
    moved = _moved(function.body, ())
    # Thread loops that remain are inside blocks that were moved as one statement.
    return function.with_body(tvm_ffi.structural_map(moved, (tirx.For, _plain)))


def _plain(loop: Any) -> Any:
    return _serial(loop, loop.loop_var, loop.body) if _tag(loop) else loop


def _moved(node: Any, waiting: tuple[Any, ...]) -> Any:
    """Return the statement with the thread loops in `waiting` moved around each of its parts."""
    if isinstance(node, tirx.SeqStmt):
        return tirx.SeqStmt([_moved(part, waiting) for part in node.seq])
    if isinstance(node, SBlockRealize) and not node.block.iter_vars:
        return _with_block_body(node, waiting)
    if not isinstance(node, tirx.For):
        return _around(node, waiting)
    tag = _tag(node)
    if tag.startswith(("threadIdx", "vthread")):
        return _moved_threads(node, tag, waiting)
    if not tag and not _holds_several(node.body):
        return _around(node, waiting)
    return _serial(node, node.loop_var, _moved(node.body, waiting))


def _moved_threads(node: Any, tag: str, waiting: tuple[Any, ...]) -> Any:
    """Add a thread loop to `waiting`, unless a loop over the same threads is already there."""
    for loop in waiting:
        if _tag(loop) == tag and int(loop.extent) == int(node.extent):
            return _moved(_with_value(node.body, node.loop_var, loop.loop_var), waiting)
    return _moved(node.body, (*waiting, node))


def _with_block_body(realize: Any, waiting: tuple[Any, ...]) -> Any:
    block = realize.block
    body = _moved(block.body, waiting)
    new = SBlock(
        block.iter_vars,
        block.reads,
        block.writes,
        block.name_hint,
        body,
        block.init,
        block.alloc_buffers,
        block.match_buffers,
        block.annotations,
    )
    return SBlockRealize(realize.iter_values, realize.predicate, new)


def _around(node: Any, waiting: tuple[Any, ...]) -> Any:
    """Wrap the statement in the waiting loops, each with a new variable."""
    for loop in reversed(waiting):
        variable = tirx.Var(loop.loop_var.name, loop.loop_var.ty)
        node = _serial(loop, variable, _with_value(node, loop.loop_var, variable))
    return node


def _serial(loop: Any, variable: Any, body: Any) -> Any:
    kind = tirx.ForKind.SERIAL if _tag(loop) else loop.kind
    return tirx.For(variable, loop.min, loop.extent, kind, body)


def _holds_several(node: Any) -> bool:
    """Whether it contains statement sequences or thread loops, between which a barrier may be."""
    found: list[Any] = []
    tvm_ffi.structural_walk(node, (tirx.SeqStmt, found.append))
    tvm_ffi.structural_walk(node, (tirx.For, lambda loop: found.append(loop) if _tag(loop) else 0))
    return bool(found)


def _with_value(node: Any, variable: Any, value: Any) -> Any:
    replace = (tirx.Var, lambda used: value if used.same_as(variable) else used)
    return tvm_ffi.structural_map(node, replace)


def _tag(loop: Any) -> str:
    return str(loop.thread_binding.thread_tag) if loop.thread_binding is not None else ""
