"""Do iterations that run at the same time write to the same place?

The schedule primitives refuse to make such a loop. A module that was written by hand, or whose
block calls a sum's axis spatial, can hold one; on a single thread it even computes the right
numbers. So it is looked for in the text of the program, and not by running it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import tvm_ffi
from tvm import ir, tirx
from tvm.s_tir import SBlockRealize

_AT_ONCE = (tirx.ForKind.PARALLEL, tirx.ForKind.THREAD_BINDING, tirx.ForKind.VECTORIZED)


@dataclass
class _Access:
    """A load or store of `buffer`. uses: loop variables that its place depends on."""

    buffer: Any
    stored: bool
    uses: frozenset[Any]
    inside: tuple[Any, ...]


@dataclass
class _Collector:
    """Walks statements, and remembers which loops each block's axes come from."""

    sources: dict[Any, frozenset[Any]] = field(default_factory=dict)
    found: list[_Access] = field(default_factory=list)

    def walk(self, node: Any, loops: tuple[Any, ...]) -> None:
        """Everything below `node`, which lies in `loops`."""
        if isinstance(node, tirx.For):
            self.sources[node.loop_var] = frozenset([node.loop_var])
            self.walk(node.body, (*loops, node))
        elif isinstance(node, SBlockRealize):
            self._walk_block(node, loops)
        elif isinstance(node, tirx.SeqStmt):
            for part in node.seq:
                self.walk(part, loops)
        elif isinstance(node, tirx.IfThenElse):
            for part in (node.then_case, node.else_case):
                if part is not None:
                    self.walk(part, loops)
        elif isinstance(node, tirx.BufferStore):
            self._note(node.buffer, node.indices, loops, stored=True)
            self._loads(node.value, loops)
        elif getattr(node, "body", None) is not None:
            self.walk(node.body, loops)

    def _walk_block(self, realize: Any, loops: tuple[Any, ...]) -> None:
        for axis, value in zip(realize.block.iter_vars, realize.iter_values, strict=True):
            self.sources[axis.var] = self._uses([value])
        for part in (realize.block.init, realize.block.body):
            if part is not None:
                self.walk(part, loops)

    def _loads(self, value: Any, loops: tuple[Any, ...]) -> None:
        tvm_ffi.structural_walk(
            value,
            (ir.TensorLoad, lambda load: self._note(load.source, load.indices, loops)),
        )

    def _note(
        self, buffer: Any, indices: Any, loops: tuple[Any, ...], *, stored: bool = False
    ) -> None:
        self.found.append(_Access(buffer, stored, self._uses(indices), loops))

    def _uses(self, expressions: Any) -> frozenset[Any]:
        used: set[Any] = set()

        def note(variable: Any) -> None:
            used.update(self.sources.get(variable, frozenset([variable])))

        for expression in expressions:
            tvm_ffi.structural_walk(expression, (ir.Var, note))
        return frozenset(used)


def complaints(function: tirx.PrimFunc) -> Iterator[str]:
    """A sentence's beginning for each store that several iterations make at once."""
    collector = _Collector()
    collector.walk(function.body, ())
    parameters = set(function.params)
    for access in collector.found:
        if not access.stored:
            continue
        for loop in access.inside:
            if loop.kind not in _AT_ONCE or _tells_apart(loop, access):
                continue
            if not _is_private(access.buffer, loop, collector.found, parameters):
                yield _sentence(access.buffer, loop)


def _tells_apart(loop: Any, access: _Access) -> bool:
    """Does each iteration store somewhere else? Loops over the same threads count as one."""
    tag = _tag(loop)
    same = [other for other in access.inside if other is loop or (tag and _tag(other) == tag)]
    return any(other.loop_var in access.uses for other in same)


def _tag(loop: Any) -> str:
    return str(loop.thread_binding.thread_tag) if loop.thread_binding is not None else ""


def _is_private(buffer: Any, loop: Any, accesses: list[_Access], parameters: set[Any]) -> bool:
    """Does each iteration have a buffer of its own?

    Registers belong to one thread, shared memory to one block of threads. What is allocated and
    only used inside of the loop is allocated there when the program is lowered.
    """
    if buffer in parameters:
        return False
    if loop.thread_binding is not None:
        scope = str(buffer.ty.storage_scope)
        return scope == "local" or (scope == "shared" and _tag(loop).startswith("blockIdx"))
    same = [access for access in accesses if access.buffer.same_as(buffer)]
    return all(any(loop.same_as(other) for other in access.inside) for access in same)


def _sentence(buffer: Any, loop: Any) -> str:
    return (
        f"iterations of the loop {loop.loop_var.name!r} run at the same time and store to the same "
        f"elements of {buffer.name!r}"
    )
