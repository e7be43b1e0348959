"""Random transformer graphs, the minimum number of kernels, and a check of the candidate's pass."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np

from hotloop.core.wire import as_message
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import constant
from hotloop.judge.graphs.builder import Builder
from hotloop.judge.graphs.evaluation import difference
from hotloop.judge.graphs.graph import Graph, Invalid, Shape
from hotloop.judge.questions import GivenFile, Question, shown
from hotloop.tasks.modules.transformer_compilation.small_graphs import plain, read, run

Rng = np.random.Generator

SAME = Tolerance(1e-9, 1e-9)
"""In float64; a pass may change the order of three summands."""

GRAPHS = 12
BEHIND, BEFORE = 6, 9
"""Number of kinds of code after a matrix product, and before a norm."""


@dataclass
class BlockBuilder(Builder[Shape]):
    """Builds a graph. saved: how many kernels a right pass can save."""

    rng: Rng = field(kw_only=True)
    width: int = field(kw_only=True)
    rows: int = field(kw_only=True)
    saved: int = 0

    def parameter(self, *shape: int) -> str:
        """Add an input and return its name."""
        return self.input(f"p{len(self.inputs)}", shape)

    def node(self, op: str, *inputs: str, type_: Shape | None = None, **attributes: Any) -> str:
        """Add a kernel and return its name. The operands of an addition come in random order."""
        if op == "add" and self.rng.random() < 0.5:
            inputs = inputs[::-1]
        return super().node(op, *inputs, type_=type_, **attributes)

    def linear(self, x: str, inner: int, outer: int) -> str:
        """Add a matrix product without a bias."""
        return self.node("matmul", x, self.parameter(inner, outer))

    def maybe(self, chance: float = 0.3) -> bool:
        """Return True with this probability."""
        return bool(self.rng.random() < chance)


def graphs(rng: Rng) -> Iterator[tuple[Graph[Shape], int]]:
    """Yield the graphs of a session with their minimum kernel counts.

    Their first blocks cover every kind and both gelus, so every mistake is exposed.
    """
    behind, before = rng.permutation(GRAPHS), rng.permutation(GRAPHS)
    for first in zip(behind.tolist(), before.tolist(), strict=True):
        yield made(rng, *first)


def made(rng: Rng, behind: int, before: int) -> tuple[Graph[Shape], int]:
    """Return transformer blocks without attention, and the number of kernels that they need.

    behind, before: numbers below GRAPHS that choose the kinds of the first block; the kinds of the
    other blocks are sampled.
    """
    builder = BlockBuilder(
        "n", rng=rng, width=4 * int(rng.integers(1, 4)), rows=int(rng.integers(2, 6))
    )
    x = _block(builder, builder.parameter(builder.rows, builder.width), behind, before)
    for _ in range(int(rng.integers(1, 4))):
        x = _block(builder, x, *map(int, rng.integers(GRAPHS, size=2)))
    builder.outputs.append(x)
    return builder.graph(), len(builder.nodes) - builder.saved


def _block(builder: BlockBuilder, x: str, behind: int, before: int) -> str:
    """Add two products with a gelu between them, the residual sum, and a norm."""
    hidden = _activated(builder, x, behind % BEHIND, "tanh" if behind < BEHIND else "none")
    back = builder.linear(hidden, 2 * builder.width, builder.width)
    total = _summed(builder, back, x, before % BEFORE)
    weight, shift = builder.parameter(builder.width), builder.parameter(builder.width)
    eps = float(builder.rng.choice([1e-5, 1e-6, 1e-12]))
    normed = builder.node("layer_norm", total, weight, shift, eps=eps)
    if builder.maybe(0.5):
        # Pre-norm, as in most current models: the sum is used next to the norm.
        return builder.node("mul", total, normed)
    return normed


def _activated(builder: BlockBuilder, x: str, kind: int, approximate: str) -> str:
    """Add a product, a bias and a gelu that can be fused, or almost."""
    inner = 2 * builder.width
    product = builder.linear(x, builder.width, inner)
    if kind == 0:
        # One bias row per input row, which is a matrix and not a bias vector.
        added = builder.node("add", product, builder.parameter(builder.rows, inner))
    elif kind == 1:
        added = builder.node("mul", product, builder.parameter(inner))
    else:
        added = builder.node("add", product, builder.parameter(inner))
    if kind == 2:
        return builder.node("relu", added)
    active = builder.node("gelu", added, approximate=approximate)
    if kind == 3:
        # The gelu's input has another use and must be computed anyway.
        return builder.node("mul", active, added)
    if kind == 4:
        builder.outputs.append(added)
        return active
    if kind == 5:
        builder.saved += 1
    return active


def _summed(builder: BlockBuilder, back: str, x: str, kind: int) -> str:
    """Add product, bias and residual in any order, which the norm can absorb, or almost."""
    if kind == 0:
        # One vector for all rows is a bias, and no operand is left as the residual.
        return builder.node("add", back, builder.parameter(builder.width))
    if kind == 1:
        builder.saved += 1
        return builder.node("add", back, x)
    if kind == 2:
        return builder.node("mul", back, x)
    bias = builder.parameter(builder.width)
    if kind == 3:
        biased = builder.node("add", back, bias)
        builder.outputs.append(biased)
        builder.saved += 1  # the sum with the residual and the norm; the bias stays by itself
        return builder.node("add", biased, x)
    if kind == 4:
        # The sum is a graph output under its own name, which a fused kernel cannot give it.
        total = builder.node("add", builder.node("add", back, bias), x)
        builder.outputs.append(total)
        return total
    builder.saved += 2
    if kind == 5:
        return builder.node("add", back, builder.node("add", x, bias))
    if kind == 6:
        # Only one of the two biases can be fused.
        other = builder.node("add", x, builder.parameter(builder.width))
        return builder.node("add", builder.node("add", back, bias), other)
    total = builder.node("add", builder.node("add", back, bias), x)
    if kind == 7:
        # These precede the norm, and must move behind the fused kernel, which gives the sum: each
        # can be computed as soon as either operand is known.
        table = builder.parameter(builder.rows, builder.width)
        builder.outputs += [builder.node("mul", total, table), builder.node("mul", table, total)]
    return total


def questions(rng: Rng, *, fewest: bool = False) -> Iterator[Question]:
    """Yield questions that require a pass to keep all values.

    fewest: also require the minimum number of kernels.
    """
    for number, (graph, minimum) in enumerate(graphs(rng), start=1):
        file = GivenFile("graph.json", json.dumps(plain(graph)).encode())
        inputs = {name: rng.standard_normal(shape) for name, shape in graph.types.items()}
        mismatch = partial(_mismatch, graph, inputs, minimum if fewest else None)
        yield Question(f"Graph {number} with {len(graph.nodes)} kernels", (file,), mismatch)


def _mismatch(
    graph: Graph[Shape], inputs: dict[str, Floats], most: int | None, answer: object
) -> str | None:
    # In a take-home's variant, the graph has the pass's level.
    level = constant("LEVEL", 0, range(2, 1000))
    got = (as_message(answer) or {}).get("level")
    if level and got != level:
        return f"its level is {shown(got)} and should be {level}"
    try:
        rewritten = read(answer, graph)
        values = run(rewritten, inputs)
    except Invalid as error:
        return str(error)
    wrong = difference(graph, values, run(graph, inputs), SAME)
    kernels = len(rewritten.nodes)
    if wrong is None and most is not None and kernels > most:
        return f"{kernels} kernels are left, {most} are enough"
    return wrong
