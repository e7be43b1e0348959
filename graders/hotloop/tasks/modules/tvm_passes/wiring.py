"""Decide symbolically whether a partition computes what its graph computes, for all inputs.

Values are expressions over the graph's inputs: equal expressions have equal values, so a partition
whose outputs are the graph's expressions is right on all inputs. A composite function counts as
what its name says. Nothing is run, so all graphs are checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hotloop.tasks.modules.tvm_passes.graphs import Graph
from hotloop.tasks.modules.tvm_passes.mac16 import Shape

Function = dict[str, Any]
Key = tuple[object, ...]

_EITHER_WAY = ("add", "multiply")


class Miswired(Exception):
    """Some value is none of the graph's. The message is the beginning of a sentence."""


@dataclass
class Expressions:
    """The graph's values, each with a number; equal expressions share a number."""

    graph: Graph
    numbers: dict[Key, int] = field(default_factory=dict[Key, int])
    shapes: dict[int, Shape] = field(default_factory=dict[int, Shape])
    outputs: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        """Number the graph's own values."""
        graph = self.graph
        values = [self._new(("input", n), shape) for n, shape in enumerate(graph.inputs)]
        for operator in graph.operators:
            taken = [values[value] for value in operator.inputs]
            key = self._key(operator.kind, taken, list(operator.axes), operator.shape)
            values.append(self._new(key, operator.shape))
        self.outputs = [values[value] for value in graph.outputs]

    def input(self, place: int) -> int:
        """Return the number of the graph's input `place`."""
        return self.numbers["input", place]

    def found(self, kind: str, taken: list[int], axes: list[int], shape: Shape) -> int:
        """Return the number of what an operator computes of the values `taken`.

        Raises Miswired if the graph does not compute that anywhere.
        """
        number = self.numbers.get(self._key(kind, taken, axes, shape))
        if number is not None:
            return number
        shapes = ", ".join(str(list(self.shapes[value])) for value in taken)
        raise Miswired(
            f"somewhere it computes {kind} of {shapes}, and the graph does not of these values"
        )

    def _new(self, key: Key, shape: Shape) -> int:
        number = self.numbers.setdefault(key, len(self.numbers))
        self.shapes[number] = shape
        return number

    def _key(self, kind: str, taken: list[int], axes: list[int], shape: Shape) -> Key:
        operands = sorted(taken) if kind in _EITHER_WAY else taken
        if kind == "softmax":  # over the last axis, however that is called
            axes = [] if axes in ([], [-1], [len(shape) - 1]) else axes
        return kind, tuple(operands), tuple(axes), shape if kind == "reshape" else ()


def mismatch(functions: dict[str, Function], graph: Graph) -> str | None:
    """Return the first mistake in a sound partition's data flow, or None."""
    known = Expressions(graph)
    main = functions["main"]
    try:
        inputs = [known.input(place) for place in range(len(graph.inputs))]
        got = _Walk(functions, known).outputs("main", inputs)
    except Miswired as found:
        return str(found)
    for place, (is_, should) in enumerate(zip(got, known.outputs, strict=True)):
        if is_ != should:
            return f"output {place} of {len(main['outputs'])} is another value of the graph"
    return None


@dataclass
class _Walk:
    functions: dict[str, Function]
    known: Expressions

    def outputs(self, name: str, given: list[int]) -> list[int]:
        """Return the numbers of a function's outputs for inputs numbered `given`."""
        function = self.functions[name]
        values: dict[str, int] = {}
        self._bind(function, values, function["inputs"], given)
        for step in function["steps"]:
            taken = [values[value] for value in step["in"]]
            self._bind(function, values, step["out"], self._made(function, step, taken))
        return [values[value] for value in function["outputs"]]

    def _made(self, function: Function, step: dict[str, Any], taken: list[int]) -> list[int]:
        does = str(step["does"])
        if not does.startswith("@"):
            shape: Shape = tuple(function["types"][step["out"][0]][1:]) if step["out"] else ()
            kind = does.removeprefix("relax.").removeprefix("nn.")
            return [self.known.found(kind, taken, step["axes"], shape)]
        called = self.functions[does[1:]]
        if "Composite" in called["attributes"]:
            return [self._unit(called, taken)]
        return self.outputs(does[1:], taken)

    def _unit(self, unit: Function, given: list[int]) -> int:
        """Return the number of what the composite function's name says, of its body's operands."""
        values: dict[str, int] = {}
        self._bind(unit, values, unit["inputs"], given)
        does = unit["attributes"]["Composite"].removeprefix("mac16.").split("_")
        first, *rest = unit["steps"]
        shape = tuple(unit["types"][first["out"][0]][1:])
        result = self.known.found(does[0], [values[v] for v in first["in"]], [], shape)
        if "bias" in does:
            bias = [values[v] for v in rest[0]["in"] if v in values] if rest else []
            if len(bias) != 1:
                raise Miswired("a composite function with a bias in its name adds none")
            result = self.known.found("add", [result, *bias], [], shape)
        if "relu" in does[1:]:
            result = self.known.found("relu", [result], [], shape)
        self._bind(unit, {}, unit["outputs"], [result])
        return result

    def _bind(
        self, function: Function, values: dict[str, int], names: list[str], numbers: list[int]
    ) -> None:
        """Name values. Raises Miswired if a shape is not the one that the function declares."""
        if len(names) != len(numbers):
            raise Miswired(f"{len(numbers)} values are handed on where {len(names)} are named")
        for name, number in zip(names, numbers, strict=True):
            said, has = tuple(function["types"][name][1:]), self.known.shapes[number]
            if said != has:
                raise Miswired(f"it says that a value of shape {list(has)} is {list(said)}")
            values[name] = number
