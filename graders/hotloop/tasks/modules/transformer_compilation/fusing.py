"""Random transformer graphs, the minimum number of kernels, and a check of the candidate's pass."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
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
class Maker(Builder[Shape]):
    """Builds a graph. saved: how many kernels a right pass can save."""

    rng: Rng = field(kw_only=True)
    width: int = field(kw_only=True)
    rows: int = field(kw_only=True)
    saved: int = 0

    def given(self, *shape: int) -> str:
        """Add an input and return its name."""
        return self.input(f"p{len(self.inputs)}", shape)

    def node(self, op: str, *inputs: str, type_: Shape | None = None, **attributes: Any) -> str:
        """Add a kernel and return its name. The operands of an addition come in random order."""
        if op == "add" and self.rng.random() < 0.5:
            inputs = inputs[::-1]
        return super().node(op, *inputs, type_=type_, **attributes)

    def linear(self, x: str, inner: int, outer: int) -> str:
        """Add a matrix product without a bias."""
        return self.node("matmul", x, self.given(inner, outer))

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
    maker = Maker("n", rng=rng, width=4 * int(rng.integers(1, 4)), rows=int(rng.integers(2, 6)))
    x = _block(maker, maker.given(maker.rows, maker.width), behind, before)
    for _ in range(int(rng.integers(1, 4))):
        x = _block(maker, x, *map(int, rng.integers(GRAPHS, size=2)))
    maker.outputs.append(x)
    return maker.graph(), len(maker.nodes) - maker.saved


def _block(maker: Maker, x: str, behind: int, before: int) -> str:
    """Add two products with a gelu between them, the residual sum, and a norm."""
    hidden = _activated(maker, x, behind % BEHIND, "tanh" if behind < BEHIND else "none")
    back = maker.linear(hidden, 2 * maker.width, maker.width)
    total = _summed(maker, back, x, before % BEFORE)
    weight, shift = maker.given(maker.width), maker.given(maker.width)
    eps = float(maker.rng.choice([1e-5, 1e-6, 1e-12]))
    normed = maker.node("layer_norm", total, weight, shift, eps=eps)
    if maker.maybe(0.5):
        # Pre-norm, as in most current models: the sum is used next to the norm.
        return maker.node("mul", total, normed)
    return normed


def _activated(maker: Maker, x: str, kind: int, approximate: str) -> str:
    """Add a product, a bias and a gelu that can be fused, or almost."""
    inner = 2 * maker.width
    product = maker.linear(x, maker.width, inner)
    if kind == 0:
        # One bias row per input row, which is a matrix and not a bias vector.
        added = maker.node("add", product, maker.given(maker.rows, inner))
    elif kind == 1:
        added = maker.node("mul", product, maker.given(inner))
    else:
        added = maker.node("add", product, maker.given(inner))
    if kind == 2:
        return maker.node("relu", added)
    active = maker.node("gelu", added, approximate=approximate)
    if kind == 3:
        # The gelu's input has another use and must be computed anyway.
        return maker.node("mul", active, added)
    if kind == 4:
        maker.outputs.append(added)
        return active
    if kind == 5:
        maker.saved += 1
    return active


def _summed(maker: Maker, back: str, x: str, kind: int) -> str:
    """Add product, bias and residual in any order, which the norm can absorb, or almost."""
    if kind == 0:
        # One vector for all rows is a bias, and no operand is left as the residual.
        return maker.node("add", back, maker.given(maker.width))
    if kind == 1:
        maker.saved += 1
        return maker.node("add", back, x)
    if kind == 2:
        return maker.node("mul", back, x)
    bias = maker.given(maker.width)
    if kind == 3:
        biased = maker.node("add", back, bias)
        maker.outputs.append(biased)
        maker.saved += 1  # the sum with the residual and the norm; the bias stays by itself
        return maker.node("add", biased, x)
    if kind == 4:
        # The sum is a graph output under its own name, which a fused kernel cannot give it.
        total = maker.node("add", maker.node("add", back, bias), x)
        maker.outputs.append(total)
        return total
    maker.saved += 2
    if kind == 5:
        return maker.node("add", back, maker.node("add", x, bias))
    if kind == 6:
        # Only one of the two biases can be fused.
        other = maker.node("add", x, maker.given(maker.width))
        return maker.node("add", maker.node("add", back, bias), other)
    total = maker.node("add", maker.node("add", back, bias), x)
    if kind == 7:
        _used_before(maker, total)
    return total


def _used_before(maker: Maker, total: str) -> None:
    """Add nodes that precede the norm and must move behind the fused kernel, which gives the sum.

    Each can be computed as soon as either operand is known.
    """
    table = maker.given(maker.rows, maker.width)
    maker.outputs += [maker.node("mul", total, table), maker.node("mul", table, total)]


def same_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions that require a pass to keep all values."""
    yield from _questions(rng, lambda _kernels, _fewest: None)


def fewest_questions(rng: Rng) -> Iterator[Question]:
    """Yield questions that also require the minimum number of kernels."""
    yield from _questions(rng, _too_many)


def _too_many(kernels: int, fewest: int) -> str | None:
    return None if kernels <= fewest else f"{kernels} kernels are left, {fewest} are enough"


def _questions(rng: Rng, judged: Callable[[int, int], str | None]) -> Iterator[Question]:
    for number, (graph, fewest) in enumerate(graphs(rng), start=1):
        file = GivenFile("graph.json", json.dumps(plain(graph)).encode())
        given = {name: rng.standard_normal(shape) for name, shape in graph.types.items()}

        def mismatch(
            answer: object, graph: Graph[Shape] = graph, fewest: int = fewest, given: Any = given
        ) -> str | None:
            # In a take-home's variant, the graph has the pass's level.
            got, level = (
                (as_message(answer) or {}).get("level"),
                constant("LEVEL", 0, range(2, 1000)),
            )
            if level and got != level:
                return f"its level is {shown(got)} and should be {level}"
            found = changed(graph, answer, given)
            return found if isinstance(found, str) else judged(len(found.nodes), fewest)

        yield Question(f"Graph {number} with {len(graph.nodes)} kernels", (file,), mismatch)


def changed(graph: Graph[Shape], answer: object, given: dict[str, Floats]) -> Graph[Shape] | str:
    """Return the graph that the pass made, or a message if it is invalid or computes otherwise."""
    try:
        found = read(answer, graph)
        got = run(found, given)
    except Invalid as error:
        return str(error)
    return difference(graph, got, run(graph, given), SAME) or found
