"""Random transformers as small graphs, the fewest kernels that they need, and a pass on trial."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hotloop.checks.transformer_compilation.small_graphs import (
    Floats,
    Graph,
    Invalid,
    Node,
    Shape,
    read,
    run,
)
from hotloop.core.wire import as_message
from hotloop.judge.compare import Tolerance, compare
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, shown

Rng = np.random.Generator

SAME = Tolerance(1e-9, 1e-9)
"""Of float64: the order of three summands may be another one."""

GRAPHS = 12
BEHIND, BEFORE = 6, 9
"""Kinds of what is behind a product, and of what is before a norm."""


@dataclass
class Maker:
    """Puts a graph together. fused: how many kernels a right pass can save."""

    rng: Rng
    width: int
    rows: int
    inputs: dict[str, Shape] = field(default_factory=dict[str, Shape])
    nodes: list[Node] = field(default_factory=list[Node])
    outputs: list[str] = field(default_factory=list[str])
    saved: int = 0

    def given(self, *shape: int) -> str:
        """A new input."""
        name = f"p{len(self.inputs)}"
        self.inputs[name] = shape
        return name

    def node(self, op: str, *inputs: str, **attributes: Any) -> str:
        """A new kernel. The operands of an addition come in any order."""
        if op == "add" and self.rng.random() < 0.5:
            inputs = inputs[::-1]
        name = f"n{len(self.nodes)}"
        self.nodes.append(Node(name, op, inputs, attributes))
        return name

    def linear(self, x: str, inner: int, outer: int) -> str:
        """A product without its bias."""
        return self.node("matmul", x, self.given(inner, outer))

    def maybe(self, chance: float = 0.3) -> bool:
        """By chance."""
        return bool(self.rng.random() < chance)

    def graph(self) -> Graph:
        """What was made."""
        return Graph(self.inputs, tuple(self.nodes), tuple(self.outputs))


def graphs(rng: Rng) -> Iterator[tuple[Graph, int]]:
    """The graphs of one judging. Their first blocks are of every kind, with every gelu, so that
    no mistake goes unseen by luck."""
    behind, before = rng.permutation(GRAPHS), rng.permutation(GRAPHS)
    for first in zip(behind.tolist(), before.tolist(), strict=True):
        yield made(rng, *first)


def made(rng: Rng, behind: int, before: int) -> tuple[Graph, int]:
    """A few blocks of a transformer without its attention, and the kernels that it needs.

    behind, before: numbers below GRAPHS, for the kinds of the first block; others are sampled.
    """
    maker = Maker(rng, width=4 * int(rng.integers(1, 4)), rows=int(rng.integers(2, 6)))
    x = _block(maker, maker.given(maker.rows, maker.width), behind, before)
    for _ in range(int(rng.integers(1, 4))):
        x = _block(maker, x, *map(int, rng.integers(GRAPHS, size=2)))
    maker.outputs.append(x)
    return maker.graph(), len(maker.nodes) - maker.saved


def _block(maker: Maker, x: str, behind: int, before: int) -> str:
    """Two products with a gelu between them, added to what came in, and a norm."""
    hidden = _activated(maker, x, behind % BEHIND, "tanh" if behind < BEHIND else "none")
    back = maker.linear(hidden, 2 * maker.width, maker.width)
    total = _summed(maker, back, x, before % BEFORE)
    weight, shift = maker.given(maker.width), maker.given(maker.width)
    eps = float(maker.rng.choice([1e-5, 1e-6, 1e-12]))
    normed = maker.node("layer_norm", total, weight, shift, eps=eps)
    if maker.maybe(0.5):
        # Before the norm, as most current models have it: the sum goes on beside it.
        return maker.node("mul", total, normed)
    return normed


def _activated(maker: Maker, x: str, kind: int, approximate: str) -> str:
    """A gelu behind a product and its bias, which can be fused, or nearly so."""
    inner = 2 * maker.width
    product = maker.linear(x, maker.width, inner)
    if kind == 0:
        # A table for each row in place of a bias: that is no vector.
        added = maker.node("add", product, maker.given(maker.rows, inner))
    elif kind == 1:
        added = maker.node("mul", product, maker.given(inner))
    else:
        added = maker.node("add", product, maker.given(inner))
    if kind == 2:
        return maker.node("relu", added)
    active = maker.node("gelu", added, approximate=approximate)
    if kind == 3:
        # Somebody else needs what is before the gelu: it has to be computed anyway.
        return maker.node("mul", active, added)
    if kind == 4:
        maker.outputs.append(added)
        return active
    if kind == 5:
        maker.saved += 1
    return active


def _summed(maker: Maker, back: str, x: str, kind: int) -> str:
    """Product, bias and residual, in any order, which the norm behind can take in, or nearly so."""
    if kind == 0:
        # One vector for all rows: that is a bias, and nothing is left to be the residual.
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
        # The sum is an output by its own name, which no fused kernel gives it.
        total = maker.node("add", maker.node("add", back, bias), x)
        maker.outputs.append(total)
        return total
    maker.saved += 2
    if kind == 5:
        return maker.node("add", back, maker.node("add", x, bias))
    if kind == 6:
        # One of two biases fits in.
        other = maker.node("add", x, maker.given(maker.width))
        return maker.node("add", maker.node("add", back, bias), other)
    total = maker.node("add", maker.node("add", back, bias), x)
    if kind == 7:
        _used_before(maker, total)
    return total


def _used_before(maker: Maker, total: str) -> None:
    """Nodes that stand before the norm, and have to come after the fused one, which gives the sum.
    They are of the kind that can be computed when one operand is there, whichever it is.
    """
    table = maker.given(maker.rows, maker.width)
    maker.outputs += [maker.node("mul", total, table), maker.node("mul", table, total)]


def same_questions(rng: Rng) -> Iterator[Question]:
    """The pass changes no value."""
    yield from _questions(rng, lambda _kernels, _fewest: None)


def fewest_questions(rng: Rng) -> Iterator[Question]:
    """And it leaves no kernel that could be saved."""
    yield from _questions(rng, _too_many)


def _too_many(kernels: int, fewest: int) -> str | None:
    return None if kernels <= fewest else f"{kernels} kernels are left, {fewest} are enough"


def _questions(rng: Rng, judged: Callable[[int, int], str | None]) -> Iterator[Question]:
    for number, (graph, fewest) in enumerate(graphs(rng), start=1):
        file = GivenFile("graph.json", json.dumps(graph.plain()).encode())
        given = {name: rng.standard_normal(shape) for name, shape in graph.inputs.items()}

        def mismatch(
            answer: object, graph: Graph = graph, fewest: int = fewest, given: Any = given
        ) -> str | None:
            # A take-home's variant: the graph has the pass' level.
            got, level = (as_message(answer) or {}).get("level"), constant("LEVEL", 0)
            if level and got != level:
                return f"its level is {shown(got)} and should be {level}"
            found = changed(graph, answer, given)
            return found if isinstance(found, str) else judged(len(found.nodes), fewest)

        yield Question(f"Graph {number} with {len(graph.nodes)} kernels", (file,), mismatch)


def changed(graph: Graph, answer: object, given: dict[str, Floats]) -> Graph | str:
    """What the pass has made of it, or what is wrong with that."""
    try:
        found = read(answer, graph)
        got = run(found, given)
    except Invalid as wrong:
        return str(wrong)
    for name, mine, theirs in zip(graph.outputs, run(graph, given), got, strict=True):
        if mine.shape != theirs.shape:
            return f"the output {name!r} has another shape"
        disagreement = compare(theirs, mine, SAME)
        if disagreement is not None:
            return f"the output {name!r} is another one: {disagreement.sentence()}"
    return found


def kinds(graph: Graph) -> Counter[str]:
    """How many kernels of each kind."""
    return Counter(node.op for node in graph.nodes)
