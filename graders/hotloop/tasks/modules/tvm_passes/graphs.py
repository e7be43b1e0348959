"""Random graphs to partition, as plain data, with reference outputs in float64.

Each graph is built from motifs that a partition has to handle: a K that mac16 does not support, a
bias of another shape, a second consumer, a diamond, two chains that exchange values, work too small
to offload, weights that fill the memory, a value between two layers that overfills it.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from hotloop.judge.compare import Floats
from hotloop.tasks.modules.tvm_passes.mac16 import Shape

Rng = np.random.Generator


@dataclass(frozen=True)
class Operator:
    """One operator of a graph, with the shape of its output.

    kind: the Relax operator's name. inputs: numbers of values. axes: of a permute_dims, else empty.
    """

    kind: str
    inputs: tuple[int, ...]
    shape: Shape
    axes: tuple[int, ...] = ()


@dataclass
class Graph:
    """A graph whose values are numbered: first the inputs, then each operator's output.

    The graph's outputs are the values that no operator consumes.
    """

    label: str
    inputs: list[Shape] = field(default_factory=list[Shape])
    operators: list[Operator] = field(default_factory=list[Operator])

    def shape(self, value: int) -> Shape:
        """Return the shape of value number `value`, an input or an operator's output."""
        if value < len(self.inputs):
            return self.inputs[value]
        return self.operators[value - len(self.inputs)].shape

    @property
    def outputs(self) -> list[int]:
        """Numbers of the operator outputs that no other operator consumes."""
        used = {value for operator in self.operators for value in operator.inputs}
        first = len(self.inputs)
        return [first + n for n in range(len(self.operators)) if first + n not in used]

    @property
    def text(self) -> str:
        """The graph as JSON, for `graph_building.build`, which makes a Relax module of it."""
        operators = [[o.kind, o.inputs, o.shape, o.axes] for o in self.operators]
        document = {"inputs": self.inputs, "operators": operators, "outputs": self.outputs}
        return json.dumps(document)

    def truth(self, inputs: list[Floats]) -> Floats:
        """Return all outputs for these inputs, in float64, flattened and concatenated."""
        values = list(inputs)
        for operator in self.operators:
            arguments = [values[value] for value in operator.inputs]
            values.append(_computed(operator, arguments))
        return np.concatenate([values[value].ravel() for value in self.outputs])


def _computed(operator: Operator, arguments: list[Floats]) -> Floats:
    x = arguments[0]
    if operator.kind == "softmax":
        raised = np.exp(x - x.max(-1, keepdims=True))
        return raised / raised.sum(-1, keepdims=True)
    simple: dict[str, Callable[[], Floats]] = {
        "matmul": lambda: x @ arguments[1],
        "add": lambda: x + arguments[1],
        "multiply": lambda: x * arguments[1],
        "relu": lambda: np.maximum(x, 0.0),
        "tanh": lambda: np.tanh(x),
        "sigmoid": lambda: 1 / (1 + np.exp(-x)),
        "permute_dims": lambda: x.transpose(operator.axes),
        "reshape": lambda: x.reshape(operator.shape),
    }
    return simple[operator.kind]()


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

    def given(self, *shape: int) -> int:
        """Add an input of this shape; return its number."""
        self.shapes.append(shape)
        return len(self.shapes) - 1

    def does(
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
        return self.does("matmul", x, self.given(k, columns), shape=(*rows, columns))

    def dense(self, x: int, columns: int, *, relu: bool | None = None) -> int:
        """Add a matmul and a bias add, then maybe a relu. The bias is sometimes the left operand.

        relu: None for a random choice.
        """
        y = self.matmul(x, columns)
        bias = self.given(columns)
        sides = (bias, y) if self.rng.random() < 0.3 else (y, bias)
        y = self.does("add", *sides, shape=self.shapes[y])
        if relu is None:
            relu = bool(self.rng.random() < 0.5)
        return self.does("relu", y) if relu else y

    def host(self, x: int) -> int:
        """Add an operator that only the host supports."""
        return self.does(str(self.rng.choice(["tanh", "sigmoid", "softmax"])), x)

    def pick(self, *choices: int) -> int:
        """Return one of the numbers at random."""
        return int(self.rng.choice(choices))

    def graph(self) -> Graph:
        """Return the graph, with values renumbered so that the inputs come first."""
        inputs = [n for n in range(len(self.shapes)) if n not in self.operators]
        order = {old: new for new, old in enumerate([*inputs, *self.operators])}
        operators = [
            Operator(o.kind, tuple(order[i] for i in o.inputs), o.shape, o.axes)
            for o in self.operators.values()
        ]
        return Graph(self.label, [self.shapes[n] for n in inputs], operators)


def _chain(s: _Sketch, x: int) -> int:
    """Three layers; the later ones are not worth a region of their own."""
    for _ in range(3):
        x = s.dense(x, s.pick(32, 48))
    return x


def _odd_k(s: _Sketch, x: int) -> int:
    """An unsupported K between two layers, and one in a layer that pays off on mac16 by itself."""
    wide = s.dense(s.given(s.shapes[x][0], s.pick(72, 88, 104)), 64)
    return s.does("add", s.dense(s.dense(x, s.pick(24, 40, 56)), 64), wide)


def _large_k(s: _Sketch, x: int) -> int:
    rows = s.shapes[x][0]
    wide = s.dense(s.given(rows, s.pick(320, 512)), 64)
    return s.does("add", s.dense(x, 64), wide)


def _wide(s: _Sketch, x: int) -> int:
    return s.dense(s.dense(x, s.pick(80, 96, 128)), 64)


def _row_bias(s: _Sketch, x: int) -> int:
    """A bias of shape [1, 64], after a matmul that pays off only if the bias is wrongly fused."""
    y = s.matmul(s.dense(x, 64), 64)
    y = s.does("add", y, s.given(1, 64))
    return s.dense(s.does("relu", y), 48)


def _column_bias(s: _Sketch, x: int) -> int:
    y = s.matmul(x, 48)
    return s.does("add", y, s.given(s.shapes[y][0], 1))


def _second_consumer(s: _Sketch, x: int) -> int:
    y = s.matmul(x, 64)
    biased = s.does("add", y, s.given(64))
    return s.does("add", s.does("relu", biased), s.host(y))


def _diamond(s: _Sketch, x: int) -> int:
    y = s.dense(x, 64, relu=True)
    return s.dense(s.does("add", y, s.host(y)), 64)


def _exchange(s: _Sketch, x: int) -> int:
    """Two chains; with one region for each chain, each region would wait for the other."""
    rows = s.shapes[x][0]
    left, right = s.dense(x, 32), s.dense(s.given(rows, 64), 32)
    new_left = s.does("add", left, s.host(right))
    new_right = s.does("add", right, s.host(left))
    return s.does("multiply", s.does("relu", new_left), s.does("relu", new_right))


def _tiny(s: _Sketch, x: int) -> int:
    side = s.dense(s.given(8, 16), 16)
    s.host(side)
    return s.host(s.matmul(x, 16))


def _full_memory(s: _Sketch, x: int) -> int:
    rows = s.shapes[x][0]
    y = s.dense(s.given(rows, 128), 64)
    return s.does("add", s.dense(y, 64), s.dense(s.given(rows, s.pick(128, 144)), 64))


def _too_full(s: _Sketch, x: int) -> int:
    rows = s.shapes[x][0]
    return s.does("add", s.dense(s.given(rows, 256), 64), s.dense(x, 64))


def _between(s: _Sketch, x: int) -> int:
    """Two layers that fit into the memory together only if the value between them is forgotten."""
    y = s.dense(s.given(64, 48), 64)
    s.host(s.dense(y, 64))
    return s.host(s.matmul(x, 16))


def _batched(s: _Sketch, x: int) -> int:
    rows, k = s.shapes[x]
    y = s.matmul(s.does("reshape", x, shape=(2, rows // 2, k)), 32)
    return s.dense(s.does("reshape", y, shape=(rows, 32)), 32)


def _transposed(s: _Sketch, x: int) -> int:
    rows, k = s.shapes[x]
    weight = s.does("permute_dims", s.given(64, k), shape=(k, 64), axes=(1, 0))
    return s.does("relu", s.does("matmul", x, weight, shape=(rows, 64)))


def _residual(s: _Sketch, x: int) -> int:
    y = s.dense(x, s.shapes[x][1]) if s.shapes[x][1] <= 64 else s.dense(x, 64)
    z = s.dense(y, s.shapes[y][1], relu=False)
    return s.does("relu", s.does("add", y, z))


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
    x = sketch.given(sketch.pick(16, 32, 48), sketch.pick(32, 64, 128))
    x = MOTIFS[first](sketch, x)
    if MOTIFS[first] is not _chain:
        MOTIFS[second](sketch, sketch.host(x) if rng.random() < 0.4 else x)
    return sketch.graph()
