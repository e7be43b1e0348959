"""Checks of memory plans: live tensors must not overlap, and memory stays close to the live peak.

The minimal peak of a small graph is found by trying all orders.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import combinations

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.graphs.builder import Builder
from hotloop.judge.graphs.graph import Graph
from hotloop.judge.questions import Question, ask_plainly, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

GRAPHS = 60
SMALL_GRAPHS = 40
ALLOWED = 1.15
"""Limit of memory used over peaks, both summed over all graphs. Placing by size stays below it;
without reuse, the ratio is several times as high.
"""


Tensors = Graph[int]
"""A graph whose `types` are the bytes of all values."""


def text(graph: Tensors) -> str:
    """Return the JSON that the learner's function is given."""
    steps = [[node.name, node.inputs] for node in graph.nodes]
    parts = {"inputs": graph.inputs, "outputs": graph.outputs, "sizes": graph.types}
    return json.dumps({**parts, "steps": steps})


def living(graph: Tensors, order: Sequence[str]) -> list[set[str]]:
    """Return the live tensors before and during each step of `order`, and at the end."""
    reads, there = {node.name: node.reads for node in graph.nodes}, set(graph.inputs)
    moments: list[set[str]] = []
    for number, step in enumerate(order):
        later = {name for rest in order[number:] for name in reads[rest]} | set(graph.outputs)
        # Unused inputs are live only at the beginning.
        before = there if number == 0 else there & later
        moments.append(set(before))
        there = (there & later) | {step}
        moments.append(set(there))
    moments.append(there & set(graph.outputs))
    return moments


def peak(graph: Tensors, order: Iterable[str] = ()) -> int:
    """Return the peak of live bytes. order: of the nodes; by default the given one."""
    moments = living(graph, list(order) or list(graph.by_name))
    return max(sum(graph.types[name] for name in there) for there in moments)


def generated(rng: random.Random, steps: int) -> Tensors:
    """Return a random graph with chains, long skips, tensors of many sizes and unused results."""
    builder = Builder[int]()
    for number in range(rng.randint(1, 2)):
        builder.input(f"x{number}", 8 * rng.choice((1, 2, 4, 16)))
    for _ in range(steps):
        recent = builder.recent(rng, 3)
        read = rng.sample(recent, min(len(recent), rng.choice((1, 1, 2))))
        builder.node("", *sorted(read), type_=8 * rng.choice((1, 2, 3, 8, 16, 32)))
    names = [node.name for node in builder.nodes]
    return builder.graph(sorted({names[-1], rng.choice(names)}))


def placed(session: Session, *, most: float | None = None) -> str:
    """Check that no two tensors of a graph overlap while both are live.

    most: limit of the bytes used for all graphs, relative to the sum of their live peaks. Returns
    the message for the learner; raises Ruling.
    """
    worker = session.worker()
    rng = random.Random(int(session.rng().integers(1 << 62)))
    used = peaks = 0
    for number in range(GRAPHS):
        graph = generated(rng, 3 + number // 2)
        answer = ask_plainly(worker, [text(graph)], session.timeout(60.0))
        size = arena(graph, answer)
        if isinstance(size, str):
            raise Ruling(Verdict.WRONG_ANSWER, f"Graph {number + 1}: {size}.")
        used += size
        peaks += peak(graph)
    sentence = f"{used} bytes for all graphs, where {peaks} live at most: {used / peaks:.2f} times."
    if most is not None and used > most * peaks:
        raise Ruling(Verdict.WRONG_ANSWER, f"{sentence} At most {most} times is allowed.")
    return sentence


def arena(graph: Tensors, answer: object) -> int | str:
    """Return how many bytes the offsets need, or a message fragment."""
    begin = constant("MEMORY_BEGINS", 0, range(64, 64000, 64))
    offsets = as_message(answer) or {}
    begins = f", and memory begins at {begin}" if begin else ""
    for name, size in graph.types.items():
        offset = offsets.get(name)
        if not isinstance(offset, int | float) or isinstance(offset, bool) or offset % 1:
            return f"the offset of {name}, of {size} bytes, is {shown(offset)}{begins}"
        if not begin <= offset < begin + (1 << 40):
            return f"the offset of {name}, of {size} bytes, is {shown(offset)}{begins}"
    lowest = min(int(offsets[name]) for name in graph.types)
    # Otherwise offsets from a higher start address would also pass.
    if begin and lowest != begin:
        return f"the lowest offset is {lowest}{begins}"
    order = list(graph.by_name)
    for moment, there in enumerate(living(graph, order)):
        for one, other in combinations(sorted(there), 2):
            first, second = sorted((one, other), key=lambda name: int(offsets[name]))
            if offsets[first] + graph.types[first] > offsets[second]:
                when = order[min(moment // 2, len(order) - 1)]
                return f"around the step that makes {when}, {one} and {other} overlap"
    return max(int(offsets[name]) + size for name, size in graph.types.items()) - begin


def orders(generator: Rng) -> Iterator[Question]:
    """Yield questions about small graphs whose best order is known."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number in range(SMALL_GRAPHS):
        graph = generated(rng, 3 + number // 9)
        yield Question(f"Graph {number + 1}", (text(graph),), partial(_order_mismatch, graph))


def _order_mismatch(graph: Tensors, answer: object) -> str | None:
    order = [str(name) for name in as_list(answer)]
    if sorted(order) != sorted(graph.by_name):
        return f"{shown(answer)} does not name each step's tensor once"
    done = set(graph.inputs)
    for name in order:
        if not done.issuperset(graph.by_name[name].reads):
            return f"{name} comes before something that it reads"
        done.add(name)
    bytes_, best = peak(graph, order), smallest(graph)
    if bytes_ > best:
        return f"its peak is {bytes_} bytes, and {best} can be had; the graph is {text(graph)}"
    return None


def smallest(graph: Tensors) -> int:
    """Return the least peak in bytes, by trying every order."""
    least = 1 << 60

    def extend(order: list[str]) -> None:
        nonlocal least
        if len(order) == len(graph.nodes):
            least = min(least, peak(graph, order))
            return
        done = {*order, *graph.inputs}
        for node in graph.nodes:
            if node.name not in done and done.issuperset(node.reads):
                extend([*order, node.name])

    extend([])
    return least
