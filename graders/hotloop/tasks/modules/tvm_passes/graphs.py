"""Graphs of tensor operators as plain data, and random ones to partition.

Each random graph is built from motifs that a partition has to handle: a K that mac16 does not
support, a bias of another shape, a second consumer, a diamond, two chains that exchange values,
work too small to offload, weights that fill the memory, a value between two layers that overfills
it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from hotloop.tasks.modules.tvm_passes.mac16 import Shape

Rng = np.random.Generator


@dataclass(frozen=True)
class Operator:
    """One operator of a graph, with the shape of its output.

    kind: the Relax operator's name. inputs: numbers of values. axes: of a permute_dims or softmax.
    """

    kind: str
    inputs: tuple[int, ...]
    shape: Shape
    axes: tuple[int, ...] = ()


@dataclass(frozen=True)
class Graph:
    """A graph whose values are numbered: first the inputs, then each operator's output."""

    inputs: tuple[Shape, ...]
    operators: tuple[Operator, ...]
    outputs: tuple[int, ...]
    label: str = field(default="", compare=False)

    @classmethod
    def of(cls, document: dict[str, Any]) -> Graph:
        """Return the graph of a document as `text` and `partition_reading` write it."""
        operators = (
            Operator(str(kind), tuple(inputs), tuple(shape), tuple(axes))
            for kind, inputs, shape, axes in document["operators"]
        )
        inputs = tuple(tuple(shape) for shape in document["inputs"])
        return cls(inputs, tuple(operators), tuple(document["outputs"]))

    @property
    def text(self) -> str:
        """The graph as JSON, for `graph_building.build`, which makes a Relax module of it."""
        operators = [[o.kind, o.inputs, o.shape, o.axes] for o in self.operators]
        return json.dumps({"inputs": self.inputs, "operators": operators, "outputs": self.outputs})

    def numbered(self) -> Iterator[tuple[int, Operator]]:
        """Yield each operator with the number of its output."""
        return enumerate(self.operators, len(self.inputs))

    def operator(self, value: int) -> Operator:
        """Return the operator whose output is value number `value`."""
        return self.operators[value - len(self.inputs)]

    def shape(self, value: int) -> Shape:
        """Return the shape of value number `value`, an input or an operator's output."""
        return self.inputs[value] if value < len(self.inputs) else self.operator(value).shape

    def shapes(self, values: Iterable[int]) -> list[Shape]:
        """Return the shapes of several values."""
        return [self.shape(value) for value in values]

    @cached_property
    def users(self) -> dict[int, list[int]]:
        """For each value that is used: the outputs of the operators that use it."""
        users: dict[int, list[int]] = {}
        for output, operator in self.numbered():
            for value in operator.inputs:
                users.setdefault(value, []).append(output)
        return users


# --- the generator --------------------------------------------------------------------------------


class _Sketch:
    """A graph under construction.

    `graph` moves inputs to the front, so they can be added at any time.
    """

    def __init__(self, rng: Rng, label: str) -> None:
        self.rng = rng
        self.label = label
        self.shapes: list[Shape] = []
        self.operators: dict[int, Operator] = {}

    def input(self, *shape: int) -> int:
        """Add an input of this shape; return its number."""
        self.shapes.append(shape)
        return len(self.shapes) - 1

    def emit(
        self, kind: str, *inputs: int, shape: Shape | None = None, axes: tuple[int, ...] = ()
    ) -> int:
        """Add an operator; return its number.

        shape: of the output; by default that of the first input.
        """
        out = self.shapes[inputs[0]] if shape is None else shape
        self.operators[len(self.shapes)] = Operator(kind, inputs, out, axes)
        self.shapes.append(out)
        return len(self.shapes) - 1

    def matmul(self, x: int, columns: int) -> int:
        """Add a matmul of `x` with a new input as its weight, of shape [K, columns]."""
        *rows, k = self.shapes[x]
        return self.emit("matmul", x, self.input(k, columns), shape=(*rows, columns))

    def dense(self, x: int, columns: int, *, relu: bool | None = None) -> int:
        """Add a matmul and a bias add, then maybe a relu. The bias is sometimes the left operand.

        relu: None for a random choice.
        """
        y = self.matmul(x, columns)
        bias = self.input(columns)
        sides = (bias, y) if self.rng.random() < 0.3 else (y, bias)
        y = self.emit("add", *sides, shape=self.shapes[y])
        if relu is None:
            relu = bool(self.rng.random() < 0.5)
        return self.emit("relu", y) if relu else y

    def host(self, x: int) -> int:
        """Add an operator that only the host supports."""
        kind = str(self.rng.choice(["tanh", "sigmoid", "softmax"]))
        return self.emit(kind, x, axes=(-1,) if kind == "softmax" else ())

    def pick(self, *choices: int) -> int:
        """Return one of the numbers at random."""
        return int(self.rng.choice(choices))

    def graph(self) -> Graph:
        """Return the graph, with values renumbered so that the inputs come first.

        Its outputs are the values that no operator uses.
        """
        inputs = [n for n in range(len(self.shapes)) if n not in self.operators]
        order = {old: new for new, old in enumerate([*inputs, *self.operators])}
        operators = tuple(
            Operator(o.kind, tuple(order[i] for i in o.inputs), o.shape, o.axes)
            for o in self.operators.values()
        )
        used = {value for operator in operators for value in operator.inputs}
        outputs = (n for n in range(len(inputs), len(order)) if n not in used)
        shapes = tuple(self.shapes[n] for n in inputs)
        return Graph(shapes, operators, tuple(outputs), self.label)


def _chain(s: _Sketch, x: int) -> int:
    """Three layers; the later ones are not worth a region of their own."""
    for _ in range(3):
        x = s.dense(x, s.pick(32, 48))
    return x


def _odd_k(s: _Sketch, x: int) -> int:
    """An unsupported K between two layers, and one in a layer that pays off on mac16 by itself."""
    wide = s.dense(s.input(s.shapes[x][0], s.pick(72, 88, 104)), 64)
    return s.emit("add", s.dense(s.dense(x, s.pick(24, 40, 56)), 64), wide)


def _large_k(s: _Sketch, x: int) -> int:
    rows = s.shapes[x][0]
    wide = s.dense(s.input(rows, s.pick(320, 512)), 64)
    return s.emit("add", s.dense(x, 64), wide)


def _wide(s: _Sketch, x: int) -> int:
    return s.dense(s.dense(x, s.pick(80, 96, 128)), 64)


def _row_bias(s: _Sketch, x: int) -> int:
    """A bias of shape [1, 64], after a matmul that pays off only if the bias is wrongly fused."""
    y = s.matmul(s.dense(x, 64), 64)
    y = s.emit("add", y, s.input(1, 64))
    return s.dense(s.emit("relu", y), 48)


def _column_bias(s: _Sketch, x: int) -> int:
    y = s.matmul(x, 48)
    return s.emit("add", y, s.input(s.shapes[y][0], 1))


def _second_consumer(s: _Sketch, x: int) -> int:
    y = s.matmul(x, 64)
    biased = s.emit("add", y, s.input(64))
    return s.emit("add", s.emit("relu", biased), s.host(y))


def _diamond(s: _Sketch, x: int) -> int:
    y = s.dense(x, 64, relu=True)
    return s.dense(s.emit("add", y, s.host(y)), 64)


def _exchange(s: _Sketch, x: int) -> int:
    """Two chains; with one region for each chain, each region would wait for the other."""
    rows = s.shapes[x][0]
    left, right = s.dense(x, 32), s.dense(s.input(rows, 64), 32)
    new_left = s.emit("add", left, s.host(right))
    new_right = s.emit("add", right, s.host(left))
    return s.emit("multiply", s.emit("relu", new_left), s.emit("relu", new_right))


def _tiny(s: _Sketch, x: int) -> int:
    side = s.dense(s.input(8, 16), 16)
    s.host(side)
    return s.host(s.matmul(x, 16))


def _full_memory(s: _Sketch, x: int) -> int:
    rows = s.shapes[x][0]
    y = s.dense(s.input(rows, 128), 64)
    return s.emit("add", s.dense(y, 64), s.dense(s.input(rows, s.pick(128, 144)), 64))


def _too_full(s: _Sketch, x: int) -> int:
    rows = s.shapes[x][0]
    return s.emit("add", s.dense(s.input(rows, 256), 64), s.dense(x, 64))


def _between(s: _Sketch, x: int) -> int:
    """Two layers that fit into the memory together only if the value between them is forgotten."""
    y = s.dense(s.input(64, 48), 64)
    s.host(s.dense(y, 64))
    return s.host(s.matmul(x, 16))


def _batched(s: _Sketch, x: int) -> int:
    rows, k = s.shapes[x]
    y = s.matmul(s.emit("reshape", x, shape=(2, rows // 2, k)), 32)
    return s.dense(s.emit("reshape", y, shape=(rows, 32)), 32)


def _transposed(s: _Sketch, x: int) -> int:
    rows, k = s.shapes[x]
    weight = s.emit("permute_dims", s.input(64, k), shape=(k, 64), axes=(1, 0))
    return s.emit("relu", s.emit("matmul", x, weight, shape=(rows, 64)))


def _residual(s: _Sketch, x: int) -> int:
    y = s.dense(x, s.shapes[x][1]) if s.shapes[x][1] <= 64 else s.dense(x, 64)
    z = s.dense(y, s.shapes[y][1], relu=False)
    return s.emit("relu", s.emit("add", y, z))


MOTIFS: dict[str, Callable[[_Sketch, int], int]] = {
    "a chain of layers": _chain,
    "a K that is no multiple of 16": _odd_k,
    "a K that is too large": _large_k,
    "an N that is too large": _wide,
    "a bias of one row": _row_bias,
    "a bias of one column": _column_bias,
    "a product with two consumers": _second_consumer,
    "a diamond around a host operator": _diamond,
    "two chains that exchange values": _exchange,
    "work that is too small": _tiny,
    "weights that fill the memory": _full_memory,
    "a weight that leaves no memory": _too_full,
    "a value that leaves no memory": _between,
    "a batched product": _batched,
    "a transposed weight": _transposed,
    "a residual layer": _residual,
}


def every_motif(rng: Rng) -> list[Graph]:
    """Return one graph for each motif, in random order.

    Each graph continues with a second, random motif, except the chain's: there the second motif's
    cost could hide what merging saves.
    """
    names = list(MOTIFS)
    seconds: list[int] = rng.integers(len(names), size=len(names)).tolist()
    order: list[int] = rng.permutation(len(names)).tolist()
    return [_graph(rng, names[n], names[second]) for n, second in zip(order, seconds, strict=True)]


def _graph(rng: Rng, first: str, second: str) -> Graph:
    sketch = _Sketch(rng, first)
    x = sketch.input(sketch.pick(16, 32, 48), sketch.pick(32, 64, 128))
    x = MOTIFS[first](sketch, x)
    if MOTIFS[first] is not _chain:
        MOTIFS[second](sketch, sketch.host(x) if rng.random() < 0.4 else x)
    return sketch.graph()
