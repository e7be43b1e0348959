"""Interpret TIR functions, and check every access. Nothing is compiled.

Out-of-bounds accesses and reads of elements never written end the run with Unrunnable, where
compiled code would silently continue; so does a run that takes too many steps. Integers are
unbounded and wrap when stored. Parallel and vectorized loops are refused, because running their
iterations in order is not what they mean.

`Machine.guards` counts the guards that are evaluated: conditions, comparisons, and whatever else
can act as a guard: a loop's length, a minimum or maximum, a bool cast to a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import prod
from typing import Any

import bare_tvm  # noqa: F401
import numpy as np
from tvm import tirx

Frame = dict[int, Any]
Expression = Callable[[Frame], Any]
Statement = Callable[[Frame], None]

MOST_STEPS = 20_000_000
MOST_ELEMENTS = 1 << 16


class Unrunnable(ValueError):
    """The module uses something unsupported here. The message is the beginning of a sentence."""


class Memory:
    """Storage that several names of a buffer share. values: None for elements not yet written."""

    def __init__(self, size: int, kind: str, values: Sequence[Any] | None = None) -> None:
        self.kind = kind
        self.values: list[Any] = [None] * size if values is None else list(values)
        self.store = _storing(kind)


def _storing(kind: str) -> Callable[[Any], Any]:
    """Return a function that rounds or wraps a value to the dtype `kind`."""
    if kind == "bool":
        return bool
    if kind.startswith("int"):
        half = 1 << (int(kind[3:]) - 1)
        return lambda value: (int(value) + half) % (2 * half) - half
    scalar = np.dtype(kind).type
    return lambda value: float(scalar(value))


def _truncated(a: Any, b: Any) -> Any:
    if isinstance(a, float) or isinstance(b, float):
        return a / b
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


_BINARY: dict[str, Callable[[Any, Any], Any]] = {
    "Add": lambda a, b: a + b,
    "Sub": lambda a, b: a - b,
    "Mul": lambda a, b: a * b,
    "Div": _truncated,
    "Mod": lambda a, b: a - b * _truncated(a, b),
    "FloorDiv": lambda a, b: a // b,
    "FloorMod": lambda a, b: a % b,
    "Min": min,
    "Max": max,
    "LT": lambda a, b: a < b,
    "LE": lambda a, b: a <= b,
    "GT": lambda a, b: a > b,
    "GE": lambda a, b: a >= b,
    "EQ": lambda a, b: a == b,
    "NE": lambda a, b: a != b,
}


_COUNTED = {"LT", "LE", "GT", "GE", "EQ", "NE", "Min", "Max"}
"""Operators that count as guards."""


class Machine:
    """Translates functions into closures, and runs them.

    steps: executed so far. guards: evaluated so far.
    """

    def __init__(self) -> None:
        self.steps = 0
        self.guards = 0
        self._translated: dict[int, Any] = {}

    def run(self, function: tirx.PrimFunc, arguments: Sequence[Any]) -> list[np.ndarray]:
        """Call a function; return its buffers afterwards, as float64.

        arguments: an array for each buffer, an int for each scalar. Raises Unrunnable.
        """
        frame: Frame = {}
        buffers = []
        for parameter, argument in zip(function.params, arguments, strict=True):
            if isinstance(argument, int):
                frame[_key(parameter)] = argument
                continue
            shape, kind = _buffer(parameter)
            if shape != argument.shape:
                raise Unrunnable(f"a parameter has shape {shape} and was {argument.shape}")
            memory = Memory(argument.size, kind, argument.ravel().tolist())
            frame[_key(parameter)] = memory
            buffers.append((memory, argument.shape))
        self._statement(function.body)(frame)
        return [np.array(memory.values, np.float64).reshape(shape) for memory, shape in buffers]

    # --- statements

    def _statement(self, node: Any) -> Statement:
        if _key(node) not in self._translated:
            translate = getattr(self, f"_do_{type(node).__name__.lower()}", None)
            if translate is None:
                raise Unrunnable(f"{type(node).__name__} is not a statement that is run here")
            self._translated[_key(node)] = translate(node)
        return self._translated[_key(node)]

    def _do_seqstmt(self, node: tirx.SeqStmt) -> Statement:
        parts = [self._statement(part) for part in node.seq]

        def run(frame: Frame) -> None:
            for part in parts:
                part(frame)

        return run

    def _do_for(self, loop: tirx.For) -> Statement:
        serial = loop.kind in (tirx.ForKind.SERIAL, tirx.ForKind.UNROLLED)
        if not serial or loop.step is not None:
            raise Unrunnable("a loop is of a kind that is not run here")
        variable, body = _key(loop.loop_var), self._statement(loop.body)
        first, extent = self._value(loop.min), self._value(loop.extent)
        is_guard = not all(isinstance(part, tirx.IntImm) for part in (loop.min, loop.extent))

        def run(frame: Frame) -> None:
            start = first(frame)
            self.guards += is_guard
            for value in range(start, start + extent(frame)):
                self._step()
                frame[variable] = value
                body(frame)

        return run

    def _do_ifthenelse(self, node: tirx.IfThenElse) -> Statement:
        condition, then = self._value(node.condition), self._statement(node.then_case)
        otherwise = None if node.else_case is None else self._statement(node.else_case)

        def run(frame: Frame) -> None:
            self._step()
            self.guards += 1
            if condition(frame):
                then(frame)
            elif otherwise is not None:
                otherwise(frame)

        return run

    def _do_bufferstore(self, node: tirx.BufferStore) -> Statement:
        value, place = self._value(node.value), self._place(node.buffer, node.indices)
        buffer = _key(node.buffer)

        def run(frame: Frame) -> None:
            self._step()
            memory = frame[buffer]
            memory.values[place(frame)] = memory.store(value(frame))

        return run

    def _do_bind(self, node: Any) -> Statement:
        variable, value = _key(node.var), self._value(node.value)

        def run(frame: Frame) -> None:
            frame[variable] = value(frame)

        return run

    def _do_allocbuffer(self, node: Any) -> Statement:
        buffer, (shape, kind) = _key(node.buffer), _buffer(node.buffer)
        if prod(shape) > MOST_ELEMENTS:
            raise Unrunnable("a buffer is far larger than any of the original's")

        def run(frame: Frame) -> None:
            frame[buffer] = Memory(prod(shape), kind)

        return run

    def _do_declbuffer(self, node: Any) -> Statement:
        """Give another name to a buffer's memory."""
        if getattr(getattr(node.data, "op", None), "name", "") != "tirx.buffer_data":
            raise Unrunnable("a buffer has memory that is not another one's")
        buffer, owner, (shape, kind) = (
            _key(node.buffer),
            _key(node.data.args[0]),
            _buffer(node.buffer),
        )

        def run(frame: Frame) -> None:
            memory = frame[owner]
            if memory.kind != kind or prod(shape) > len(memory.values):
                raise Unrunnable("a second name of a buffer does not fit to it")
            frame[buffer] = memory

        return run

    def _do_evaluate(self, node: tirx.Evaluate) -> Statement:
        if not isinstance(node.value, tirx.IntImm):
            raise Unrunnable("an expression is evaluated for what it does")
        return lambda _frame: None

    # --- expressions

    def _value(self, node: Any) -> Expression:
        if _key(node) not in self._translated:
            self._translated[_key(node)] = self._expression(node)
        return self._translated[_key(node)]

    def _expression(self, node: Any) -> Expression:
        kind = type(node).__name__
        if kind in _BINARY:
            combine, a, b = _BINARY[kind], self._value(node.a), self._value(node.b)
            if kind in _COUNTED:
                return self._counting(lambda frame: combine(a(frame), b(frame)))
            return lambda frame: combine(a(frame), b(frame))
        if kind in {"IntImm", "FloatImm"}:
            constant = node.value
            return lambda _frame: constant
        if kind == "Var":
            variable = _key(node)
            return lambda frame: frame[variable]
        if kind == "TensorLoad":
            return self._load(node)
        return self._logical(kind, node)

    def _logical(self, kind: str, node: Any) -> Expression:
        if kind in {"And", "Or"}:
            a, b = self._value(node.a), self._value(node.b)
            if kind == "And":
                return lambda frame: a(frame) and b(frame)
            return lambda frame: a(frame) or b(frame)
        if kind == "Not":
            operand = self._value(node.a)
            return lambda frame: not operand(frame)
        if kind == "Cast":
            value, store = self._value(node.value), _storing(str(node.ty.dtype))
            cast: Expression = lambda frame: store(value(frame))  # noqa: E731
            return self._counting(cast) if str(node.value.ty.dtype) == "bool" else cast
        raise Unrunnable(f"{kind} is not an expression that is run here")

    def _counting(self, expression: Expression) -> Expression:
        def counted(frame: Frame) -> Any:
            self.guards += 1
            return expression(frame)

        return counted

    def _load(self, node: Any) -> Expression:
        buffer, place = _key(node.source), self._place(node.source, node.indices)

        def load(frame: Frame) -> Any:
            value = frame[buffer].values[place(frame)]
            if value is None:
                raise Unrunnable("it reads an element of a buffer that was never written")
            return value

        return load

    def _place(self, buffer: Any, indices: Any) -> Expression:
        """Return a function that computes an element's flat index. It raises Unrunnable outside."""
        shape, _ = _buffer(buffer)
        parts = [self._value(part) for part in indices]
        if len(parts) != len(shape):
            raise Unrunnable("a buffer is indexed with too many or too few numbers")

        def place(frame: Frame) -> int:
            position = 0
            for extent, part in zip(shape, parts, strict=True):
                index = part(frame)
                if not 0 <= index < extent:
                    raise Unrunnable(f"it touches element {index} of {extent}")
                position = position * extent + index
            return position

        return place

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Unrunnable("it goes on far longer than the original")


def _key(node: Any) -> int:
    """Return a number that no other object of the module has."""
    return node.__chandle__()


def _buffer(variable: Any) -> tuple[tuple[int, ...], str]:
    """Return shape and dtype. Raises Unrunnable for buffers with strides, an offset or symbols."""
    ty = variable.ty
    if not all(isinstance(part, tirx.IntImm) for part in (*ty.shape, ty.elem_offset)):
        raise Unrunnable("a buffer's shape is not known")
    if len(ty.strides) or int(ty.elem_offset) != 0:
        raise Unrunnable("a buffer has strides or begins elsewhere")
    return tuple(map(int, ty.shape)), str(ty.dtype)
