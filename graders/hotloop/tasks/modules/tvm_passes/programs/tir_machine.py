"""Interpret TIR functions directly from the JSON, and check every access.

Out-of-bounds accesses and reads of elements never written end the run with Unrunnable, where
compiled code would silently continue; so does a run that takes too many steps. Integers are
unbounded and wrap when stored. Parallel and vectorized loops are refused, because running their
iterations in order is not what they mean.

`Machine.asked` counts the guards that are evaluated: conditions, comparisons, and whatever else can
act as a guard: a loop's length, a minimum or maximum, a bool cast to a number.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from graph_values import Graph, Unrunnable

Frame = dict[int, Any]
Expression = Callable[[Frame], Any]
Statement = Callable[[Frame], None]

MOST_STEPS = 20_000_000
# tirx.ForKind: serial and unrolled.
SERIAL_KINDS = {0, 3}


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
    "prim.Add": lambda a, b: a + b,
    "prim.Sub": lambda a, b: a - b,
    "prim.Mul": lambda a, b: a * b,
    "prim.Div": _truncated,
    "prim.Mod": lambda a, b: a - b * _truncated(a, b),
    "prim.FloorDiv": lambda a, b: a // b,
    "prim.FloorMod": lambda a, b: a % b,
    "prim.Min": min,
    "prim.Max": max,
    "prim.LT": lambda a, b: a < b,
    "prim.LE": lambda a, b: a <= b,
    "prim.GT": lambda a, b: a > b,
    "prim.GE": lambda a, b: a >= b,
    "prim.EQ": lambda a, b: a == b,
    "prim.NE": lambda a, b: a != b,
}


_ASKING = {f"prim.{name}" for name in ("LT", "LE", "GT", "GE", "EQ", "NE", "Min", "Max")}


class Machine:
    """Translates the functions of a graph into closures, and runs them.

    steps: executed so far. asked: guards evaluated so far.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self.steps = 0
        self.asked = 0
        self._written: dict[int, Any] = {}

    def run(self, function: int, arguments: Sequence[np.ndarray | int]) -> list[np.ndarray]:
        """Call a function; return its buffers afterwards, as float64.

        arguments: an array for each buffer, an int for each scalar. Raises Unrunnable.
        """
        data = self.graph.data(function)
        frame: Frame = {}
        buffers = []
        parameters = self.graph.items(data["params"])
        for parameter, argument in zip(parameters, arguments, strict=True):
            if isinstance(argument, int):
                frame[parameter] = argument
                continue
            shape, kind = self._buffer(parameter)
            if shape != argument.shape:
                raise Unrunnable(f"a parameter has shape {shape} and was {argument.shape}")
            memory = Memory(argument.size, kind, argument.ravel().tolist())
            frame[parameter] = memory
            buffers.append((memory, argument.shape))
        self._statement(data["body"])(frame)
        return [np.array(memory.values, np.float64).reshape(shape) for memory, shape in buffers]

    # --- statements

    def _statement(self, index: int) -> Statement:
        if index not in self._written:
            name = "_" + self.graph.kind(index).replace("tirx.", "").lower()
            translate = getattr(self, f"_do{name}", None)
            if translate is None:
                raise Unrunnable(f"{self.graph.kind(index)} is not a statement that is run here")
            self._written[index] = translate(self.graph.data(index))
        return self._written[index]

    def _do_seqstmt(self, data: Any) -> Statement:
        parts = [self._statement(part) for part in self.graph.items(data["seq"])]

        def run(frame: Frame) -> None:
            for part in parts:
                part(frame)

        return run

    def _do_for(self, data: Any) -> Statement:
        graph = self.graph
        if data["kind"] not in SERIAL_KINDS or not graph.is_none(data["step"]):
            raise Unrunnable("a loop is of a kind that is not run here")
        variable, body = data["loop_var"], self._statement(data["body"])
        first, extent = self._value(data["min"]), self._value(data["extent"])
        asks = any(graph.kind(data[part]) != "ir.IntImm" for part in ("min", "extent"))

        def run(frame: Frame) -> None:
            start = first(frame)
            self.asked += asks
            for value in range(start, start + extent(frame)):
                self._step()
                frame[variable] = value
                body(frame)

        return run

    def _do_ifthenelse(self, data: Any) -> Statement:
        condition, then = self._value(data["condition"]), self._statement(data["then_case"])
        absent = self.graph.is_none(data["else_case"])
        otherwise = None if absent else self._statement(data["else_case"])

        def run(frame: Frame) -> None:
            self._step()
            self.asked += 1
            if condition(frame):
                then(frame)
            elif otherwise is not None:
                otherwise(frame)

        return run

    def _do_bufferstore(self, data: Any) -> Statement:
        value, place = self._value(data["value"]), self._place(data["buffer"], data["indices"])
        buffer = data["buffer"]

        def run(frame: Frame) -> None:
            self._step()
            memory = frame[buffer]
            memory.values[place(frame)] = memory.store(value(frame))

        return run

    def _do_bind(self, data: Any) -> Statement:
        variable, value = data["var"], self._value(data["value"])

        def run(frame: Frame) -> None:
            frame[variable] = value(frame)

        return run

    def _do_allocbuffer(self, data: Any) -> Statement:
        buffer = data["buffer"]
        shape, kind = self._buffer(buffer)
        size = int(np.prod(shape, dtype=np.int64))
        if size > 1 << 16:
            raise Unrunnable("a buffer is far larger than any of the original's")

        def run(frame: Frame) -> None:
            frame[buffer] = Memory(size, kind)

        return run

    def _do_declbuffer(self, data: Any) -> Statement:
        buffer = data["buffer"]
        owner = self._owner(data["data"])
        shape, kind = self._buffer(buffer)
        size = int(np.prod(shape, dtype=np.int64))

        def run(frame: Frame) -> None:
            memory = frame[owner]
            if memory.kind != kind or size > len(memory.values):
                raise Unrunnable("a second name of a buffer does not fit to it")
            frame[buffer] = memory

        return run

    def _do_evaluate(self, data: Any) -> Statement:
        if self.graph.kind(data["value"]) != "ir.IntImm":
            raise Unrunnable("an expression is evaluated for what it does")
        return lambda _frame: None

    # --- expressions

    def _value(self, index: int) -> Expression:
        if index not in self._written:
            self._written[index] = self._expression(index)
        return self._written[index]

    def _expression(self, index: int) -> Expression:
        graph, kind = self.graph, self.graph.kind(index)
        data = graph.data(index)
        if kind in _BINARY:
            combine, a, b = _BINARY[kind], self._value(data["a"]), self._value(data["b"])
            if kind in _ASKING:
                return self._asking(lambda frame: combine(a(frame), b(frame)))
            return lambda frame: combine(a(frame), b(frame))
        if kind == "ir.IntImm":
            number = graph.number(index)
            return lambda _frame: number
        if kind == "ir.FloatImm":
            constant = float(data["value"])
            return lambda _frame: constant
        if kind == "ir.Var":
            return lambda frame: frame[index]
        return self._compound(kind, data, graph.dtype(index))

    def _compound(self, kind: str, data: Any, dtype: str) -> Expression:
        if kind == "ir.TensorLoad":
            return self._load(data)
        if kind in {"prim.And", "prim.Or"}:
            a, b = self._value(data["a"]), self._value(data["b"])
            if kind == "prim.And":
                return lambda frame: a(frame) and b(frame)
            return lambda frame: a(frame) or b(frame)
        if kind == "prim.Not":
            operand = self._value(data["a"])
            return lambda frame: not operand(frame)
        if kind == "prim.Cast":
            value, store = self._value(data["value"]), _storing(dtype)
            cast: Expression = lambda frame: store(value(frame))  # noqa: E731
            return self._asking(cast) if self.graph.dtype(data["value"]) == "bool" else cast
        raise Unrunnable(f"{kind} is not an expression that is run here")

    def _asking(self, expression: Expression) -> Expression:
        def ask(frame: Frame) -> Any:
            self.asked += 1
            return expression(frame)

        return ask

    def _load(self, data: Any) -> Expression:
        buffer, place = data["source"], self._place(data["source"], data["indices"])

        def load(frame: Frame) -> Any:
            value = frame[buffer].values[place(frame)]
            if value is None:
                raise Unrunnable("it reads an element of a buffer that was never written")
            return value

        return load

    def _place(self, buffer: int, indices: int) -> Expression:
        """Return a function that computes an element's flat index. It raises Unrunnable outside."""
        shape, _ = self._buffer(buffer)
        parts = [self._value(part) for part in self.graph.items(indices)]
        if len(parts) != len(shape):
            raise Unrunnable("a buffer is indexed with too many or too few numbers")

        def place(frame: Frame) -> int:
            found = 0
            for extent, part in zip(shape, parts, strict=True):
                index = part(frame)
                if not 0 <= index < extent:
                    raise Unrunnable(f"it touches element {index} of {extent}")
                found = found * extent + index
            return found

        return place

    # --- buffers

    def _buffer(self, variable: int) -> tuple[tuple[int, ...], str]:
        """Return shape and dtype.

        Raises Unrunnable for strided buffers and those with an offset.
        """
        graph = self.graph
        ty = graph.data(self.graph.data(variable)["ty"])
        if graph.items(ty["strides"]) or graph.number(ty["elem_offset"]) != 0:
            raise Unrunnable("a buffer has strides or begins elsewhere")
        shape = tuple(graph.number(extent) for extent in graph.items(ty["shape"]))
        return shape, graph.data(ty["dtype"])["dtype"]

    def _owner(self, call: int) -> int:
        """Return the buffer whose memory a declared one shares."""
        data = self.graph.data(call)
        if self.graph.kind(call) != "ir.Call" or self.graph.data(data["op"]) != "tirx.buffer_data":
            raise Unrunnable("a buffer has memory that is not another one's")
        return self.graph.items(data["args"])[0]

    def _step(self) -> None:
        self.steps += 1
        if self.steps > MOST_STEPS:
            raise Unrunnable("it goes on far longer than the original")
