"""Find iterations that run at the same time and write to the same element.

The schedule primitives refuse to make such a loop. A module written by hand, or one whose block
declares a reduction axis spatial, can contain one; on a single thread it even computes the right
values. So the program is analyzed instead of run: the index of each store is computed for
neighbouring iterations, because an index may mention a variable without depending on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from math import prod
from typing import Any

import numpy as np
import tvm_ffi
from numpy.typing import NDArray
from tvm import ir, tirx
from tvm.s_tir import SBlockRealize

_AT_ONCE = (tirx.ForKind.PARALLEL, tirx.ForKind.THREAD_BINDING, tirx.ForKind.VECTORIZED)
MOST_POINTS = 1 << 16
"""Most iterations that are checked for one store in one loop: the first ones of each loop in it."""

_Numbers = NDArray[np.int64]
_OPERATIONS: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Min": np.minimum,
    "Max": np.maximum,
}


class Unknown(ValueError):
    """An index or loop length that no schedule makes.

    The message is the beginning of a sentence.
    """


@dataclass
class _Access:
    """A load or store of `buffer`.

    inside: the loops around it. axes: values of block axis variables.
    """

    buffer: Any
    stored: bool
    indices: list[Any]
    inside: tuple[Any, ...]
    axes: dict[Any, Any]


@dataclass
class _Collector:
    """Walks statements and collects accesses and the values of block axes."""

    axes: dict[Any, Any] = field(default_factory=dict)
    found: list[_Access] = field(default_factory=list)

    def walk(self, node: Any, loops: tuple[Any, ...]) -> None:
        """Visit everything below `node`, which is nested in `loops`."""
        if isinstance(node, tirx.For):
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
            self._loads(node.value, loops)
            self._note(node.buffer, node.indices, loops, stored=True)
        elif getattr(node, "body", None) is not None:
            self.walk(node.body, loops)

    def _walk_block(self, realize: Any, loops: tuple[Any, ...]) -> None:
        for axis, value in zip(realize.block.iter_vars, realize.iter_values, strict=True):
            self.axes[axis.var] = value
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
        self.found.append(_Access(buffer, stored, list(indices), loops, self.axes))


def mismatches(function: tirx.PrimFunc) -> Iterator[str]:
    """Yield a message fragment for each store that several iterations make to the same element."""
    collector = _Collector()
    collector.walk(function.body, ())
    parameters = set(function.params)
    for access in collector.found:
        if not access.stored:
            continue
        for loop in access.inside:
            if loop.kind not in _AT_ONCE:
                continue
            try:
                apart = _tells_apart(loop, access)
            except Unknown as unknown:
                yield f"where it stores to {access.buffer.name!r} cannot be told: {unknown}"
                return
            if not apart and not _is_private(access.buffer, loop, collector.found, parameters):
                yield _sentence(access.buffer, loop)


def _tells_apart(loop: Any, access: _Access) -> bool:
    """Whether each iteration stores to other elements, whatever the loops nested in it do.

    Loops over the same threads count as one: their variables always have the same value.
    """
    own = _key(loop)
    keys = list(dict.fromkeys(map(_key, access.inside)))
    varied = keys[keys.index(own) :]
    extents = {key: _extent(key, access) for key in varied}
    while prod(extents.values()) > MOST_POINTS:
        # Halve the loop's own extent last: distant iterations may also meet.
        largest = max(varied, key=lambda key: (key != own and extents[key] > 2, extents[key]))
        extents[largest] = (extents[largest] + 1) // 2
    grid = np.meshgrid(*(np.arange(n) for n in extents.values()), indexing="ij")
    steps = {key: part.ravel() for key, part in zip(extents, grid, strict=True)}
    # Loops around it stay at their first iteration.
    at: dict[Any, Any] = {
        each.loop_var: _literal(each.min) + steps.get(_key(each), np.int64(0))
        for each in access.inside
    }
    places = np.zeros_like(steps[own])
    for index in access.indices:
        part = _places(index, at, access.axes, places)
        places = places * (np.ptp(part) + 1) + part - part.min()
    stores = places * extents[own] + steps[own]
    return len(np.unique(stores)) == len(np.unique(places))


def _key(loop: Any) -> str:
    """Return a key that is the same for loops over the same threads."""
    return _tag(loop) or str(hash(loop.loop_var))


def _extent(key: str, access: _Access) -> int:
    return max(_literal(loop.extent) for loop in access.inside if _key(loop) == key)


def _literal(expression: Any) -> int:
    if isinstance(expression, int | tirx.IntImm):
        return int(expression)
    raise Unknown(f"a loop around it is {str(expression)[:60]} long, which is no number")


def _places(index: Any, at: dict[Any, Any], axes: dict[Any, Any], like: _Numbers) -> _Numbers:
    return np.broadcast_to(np.asarray(_number(index, at, axes), np.int64), like.shape)


def _number(expression: Any, at: dict[Any, Any], axes: dict[Any, Any]) -> Any:
    """Evaluate an index for all iterations at once. Raises Unknown."""
    if isinstance(expression, tirx.IntImm):
        return np.int64(int(expression))
    if expression in at:
        return at[expression]
    if expression in axes:
        at[expression] = _number(axes[expression], at, axes)
        return at[expression]
    if isinstance(expression, tirx.Cast):
        return _number(expression.value, at, axes)
    operation = _OPERATIONS.get(type(expression).__name__)
    if operation is None:
        raise Unknown(f"{str(expression)[:60]} is no index that a schedule makes")
    return operation(_number(expression.a, at, axes), _number(expression.b, at, axes))


def _tag(loop: Any) -> str:
    return str(loop.thread_binding.thread_tag) if loop.thread_binding is not None else ""


def _is_private(buffer: Any, loop: Any, accesses: list[_Access], parameters: set[Any]) -> bool:
    """Whether each iteration of the loop has its own copy of the buffer.

    Registers belong to one thread, and shared memory to one thread block, if all accesses are in
    that thread or block. A buffer that is allocated and only used inside the loop is allocated
    there when the program is lowered.
    """
    if buffer in parameters:
        return False
    if loop.thread_binding is not None:
        scope = str(buffer.ty.storage_scope)
        of_blocks = scope == "shared" and _tag(loop).startswith("blockIdx")
        if scope != "local" and not of_blocks:
            return False
    same = [access for access in accesses if access.buffer.same_as(buffer)]
    return all(any(_is_same(loop, other) for other in access.inside) for access in same)


def _is_same(loop: Any, other: Any) -> bool:
    return loop.same_as(other) or (bool(_tag(loop)) and _tag(loop) == _tag(other))


def _sentence(buffer: Any, loop: Any) -> str:
    return (
        f"iterations of the loop {loop.loop_var.name!r} run at the same time and store to the same "
        f"elements of {buffer.name!r}"
    )
