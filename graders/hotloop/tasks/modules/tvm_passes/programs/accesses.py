"""Which elements a TIR function touches, in the order in which its statements do.

One walk collects all loads and stores with the loops around them; the elements of an access are
computed for many iterations at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
import tvm_ffi
from numpy.typing import NDArray
from tvm import ir, tirx
from tvm.s_tir import SBlockRealize

Numbers = NDArray[np.int64]

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


@dataclass(frozen=True)
class Access:
    """A load or store of an element of `buffer`.

    statement: the store that it is, or that it is a load of. loops: around it, outermost first.
    axes: values of block axis variables.
    """

    buffer: Any
    indices: tuple[Any, ...]
    is_store: bool
    statement: Any
    loops: tuple[Any, ...]
    axes: dict[Any, Any]

    def elements(self, at: dict[Any, Any]) -> Numbers:
        """Return the flat indices of the touched elements.

        at: a number, or one for each iteration, for each loop variable. Raises Unknown.
        """
        values, place = dict(at), np.int64(0)
        for index, extent in zip(self.indices, self.buffer.ty.shape, strict=True):
            place = place * int(extent) + self._number(index, values)
        return np.asarray(place, np.int64)

    def _number(self, expression: Any, values: dict[Any, Any]) -> Any:
        if isinstance(expression, tirx.IntImm):
            return np.int64(int(expression))
        if expression in values:
            return values[expression]
        if expression in self.axes:
            values[expression] = self._number(self.axes[expression], values)
            return values[expression]
        if isinstance(expression, tirx.Cast):
            return self._number(expression.value, values)
        operation = _OPERATIONS.get(type(expression).__name__)
        if operation is None:
            raise Unknown(f"{str(expression)[:60]} is no index that a schedule makes")
        return operation(self._number(expression.a, values), self._number(expression.b, values))


def accesses(body: Any) -> Iterator[Access]:
    """Yield the accesses of the statements below one, in order."""
    for statement, loops, axes in statements(body):
        if not isinstance(statement, tirx.BufferStore):
            continue
        loads: list[Any] = []
        tvm_ffi.structural_walk(statement.value, (ir.TensorLoad, loads.append))
        for load in loads:
            yield Access(load.source, tuple(load.indices), False, statement, loops, axes)
        indices = tuple(statement.indices)
        yield Access(statement.buffer, indices, True, statement, loops, axes)


def statements(
    node: Any, loops: tuple[Any, ...] = (), axes: dict[Any, Any] | None = None
) -> Iterator[tuple[Any, tuple[Any, ...], dict[Any, Any]]]:
    """Yield the innermost statements below one, in order, with loops and axes as in `Access`."""
    axes = axes or {}
    if isinstance(node, SBlockRealize):
        variables = (axis.var for axis in node.block.iter_vars)
        axes = {**axes, **dict(zip(variables, node.iter_values, strict=True))}
        parts = (node.block.init, node.block.body)
    elif isinstance(node, tirx.IfThenElse):
        parts = (node.then_case, node.else_case)
    elif isinstance(node, tirx.For):
        parts, loops = (node.body,), (*loops, node)
    elif isinstance(node, tirx.SeqStmt):
        parts = tuple(node.seq)
    else:
        yield node, loops, axes
        return
    for part in parts:
        if part is not None:
            yield from statements(part, loops, axes)


def thread_axis(loop: Any) -> str:
    """Return which thread index a loop is bound to, as "threadIdx.x"; empty if to none."""
    return str(loop.thread_binding.thread_tag) if loop.thread_binding is not None else ""


def scope(buffer: Any) -> str:
    """Return in which memory a buffer lies: "global", "shared" or "local"."""
    return str(buffer.ty.storage_scope)
