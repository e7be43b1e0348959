"""Decide symbolically whether a partition computes what its graph computes, for all inputs.

Values are expressions over the graph's inputs: equal expressions have equal values, so a partition
whose outputs are the graph's expressions is right on all inputs. A composite function counts as
what its name says. Nothing is run, so all graphs are checked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from hotloop.judge.graphs.graph import expression
from hotloop.tasks.modules.tvm_passes.graphs import Graph, Operator
from hotloop.tasks.modules.tvm_passes.mac16 import Shape
from hotloop.tasks.modules.tvm_passes.planning import Region, Unit

Key = tuple[object, ...]


class Miswired(Exception):
    """Some value is none of the graph's. The message is the beginning of a sentence."""


@dataclass
class Expressions:
    """The values of a graph, each with a number; equal expressions share a number."""

    graph: Graph
    numbers: dict[Key, int] = field(default_factory=dict[Key, int])
    shapes: dict[int, Shape] = field(default_factory=dict[int, Shape])
    outputs: list[int] = field(default_factory=list[int])

    def __post_init__(self) -> None:
        """Number the graph's own values."""
        values = [self._number(("input", n), shape) for n, shape in enumerate(self.graph.inputs)]
        for operator in self.graph.operators:
            operands = [values[value] for value in operator.inputs]
            values.append(self._number(_key(operator, operands), operator.shape))
        self.outputs = [values[value] for value in self.graph.outputs]

    def _number(self, key: Key, shape: Shape) -> int:
        number = self.numbers.setdefault(key, len(self.numbers))
        self.shapes[number] = shape
        return number

    def known(self, operator: Operator, operands: list[int]) -> int:
        """Return the number of what an operator computes of the values numbered `operands`.

        Raises Miswired if the graph does not compute that anywhere.
        """
        number = self.numbers.get(_key(operator, operands))
        if number is not None and self.shapes[number] == operator.shape:
            return number
        shapes = ", ".join(str(list(self.shapes[value])) for value in operands)
        raise Miswired(
            f"somewhere it computes {operator.kind} of {shapes}, as {list(operator.shape)}, and "
            "the graph does not of these values"
        )


def _key(operator: Operator, operands: list[int]) -> Key:
    """Return a key that is equal for operators that compute the same of equal operands."""
    kind, shape = operator.kind, operator.shape
    axes = tuple(axis % len(shape) for axis in operator.axes)  # the last one may be called -1
    sizes = shape if kind == "reshape" else ()
    return expression(kind, operands, ("add", "multiply"), axes, sizes)


def mismatch(flat: Graph, regions: list[Region], graph: Graph) -> str | None:
    """Return the first mistake in the data flow of a sound partition of `graph`, or None.

    flat: the partition with its functions written out. regions: of it.
    """
    expressions = Expressions(graph)
    units = {unit.outputs[0]: unit for region in regions for unit in region.units}
    inside = {member for region in regions for member in region.members}
    values = {n: expressions.numbers["input", n] for n in range(len(graph.inputs))}
    try:
        for output, operator in flat.numbered():
            if output in units:
                values[output] = _of_unit(units[output], flat, values, expressions)
            elif output not in inside:
                operands = [values[value] for value in operator.inputs]
                values[output] = expressions.known(operator, operands)
    except Miswired as mistake:
        return str(mistake)
    for place, output in enumerate(flat.outputs):
        if values[output] != expressions.outputs[place]:
            return f"output {place} of {len(flat.outputs)} is another value of the graph"
    return None


def _of_unit(unit: Unit, flat: Graph, values: dict[int, int], expressions: Expressions) -> int:
    """Return the number of what the unit's name says, of the operands of its operators."""
    first, *further = unit.name.removeprefix("mac16.").split("_")
    arity = len(flat.operator(unit.members[0]).inputs)
    operands = [values[value] for value in unit.inputs]
    shape = flat.shape(unit.members[0])
    number = expressions.known(Operator(first, (), shape), operands[:arity])
    for part in further:
        if part == "bias" and len(operands) != arity + 1:
            raise Miswired("a composite function with a bias in its name adds none")
        kind, more = ("add", operands[arity:]) if part == "bias" else (part, [])
        number = expressions.known(Operator(kind, (), shape), [number, *more])
    return number
