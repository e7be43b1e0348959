"""Checks of memory plans: live tensors must not overlap, and memory stays close to the live peak.

The minimal peak of a small graph is found by trying all orders.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list, as_message
from hotloop.judge.constants import constant
from hotloop.judge.questions import Question, ask_plainly, shown
from hotloop.judge.session import Session

Rng = np.random.Generator

GRAPHS = 60
SMALL_GRAPHS = 40
ALLOWED = 1.15
"""Limit of memory used over peaks, both summed over all graphs. Placing by size stays below it;
without reuse, the ratio is several times as high.
"""


@dataclass(frozen=True)
class Graph:
    """A tensor graph.

    sizes: bytes of each tensor. steps: each result with what it reads, in given order.
    """

    inputs: list[str]
    outputs: list[str]
    sizes: dict[str, int]
    steps: list[tuple[str, list[str]]]

    def text(self) -> str:
        """Return the JSON that the learner's function is given."""
        steps = [[made, read] for made, read in self.steps]
        parts = {"inputs": self.inputs, "outputs": self.outputs, "sizes": self.sizes}
        return json.dumps({**parts, "steps": steps})

    def reads(self) -> dict[str, list[str]]:
        """Return what each step reads, by its result."""
        return dict(self.steps)

    def living(self, order: list[str]) -> list[set[str]]:
        """Return the live tensors before and during each step of `order`, and at the end."""
        reads, there = self.reads(), set(self.inputs)
        moments: list[set[str]] = []
        for number, made in enumerate(order):
            later = {name for rest in order[number:] for name in reads[rest]} | set(self.outputs)
            # Unused inputs are live only at the beginning.
            before = there if number == 0 else there & later
            moments.append(set(before))
            there = (there & later) | {made}
            moments.append(set(there))
        moments.append(there & set(self.outputs))
        return moments

    def peak(self, order: list[str]) -> int:
        """Return the peak of live bytes."""
        return max(sum(self.sizes[name] for name in there) for there in self.living(order))


def generated(rng: random.Random, steps: int) -> Graph:
    """Return a random graph with chains, long skips, tensors of many sizes and unused results."""
    inputs = [f"x{n}" for n in range(rng.randint(1, 2))]
    sizes = {name: 8 * rng.choice((1, 2, 4, 16)) for name in inputs}
    made: list[tuple[str, list[str]]] = []
    for number in range(steps):
        known = list(sizes)
        recent = known[-3:] if rng.random() < 0.7 else known
        read = rng.sample(recent, min(len(recent), rng.choice((1, 1, 2))))
        sizes[f"t{number}"] = 8 * rng.choice((1, 2, 3, 8, 16, 32))
        made.append((f"t{number}", sorted(read)))
    names = [name for name, _ in made]
    outputs = sorted({names[-1], rng.choice(names)})
    return Graph(inputs, outputs, sizes, made)


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
        answer = ask_plainly(worker, [graph.text()], session.timeout(60.0))
        found = arena(graph, answer)
        if isinstance(found, str):
            raise Ruling(Verdict.WRONG_ANSWER, f"Graph {number + 1}: {found}.")
        used += found
        peaks += graph.peak([made for made, _ in graph.steps])
    said = f"{used} bytes for all graphs, where {peaks} live at most: {used / peaks:.2f} times."
    if most is not None and used > most * peaks:
        raise Ruling(Verdict.WRONG_ANSWER, f"{said} At most {most} times is allowed.")
    return said


def arena(graph: Graph, answer: object) -> int | str:
    """Return how many bytes the offsets need, or a message fragment."""
    begin = constant("MEMORY_BEGINS", 0, range(64, 64000, 64))
    offsets = as_message(answer) or {}
    begins = f", and memory begins at {begin}" if begin else ""
    for name, size in graph.sizes.items():
        offset = offsets.get(name)
        if not isinstance(offset, int | float) or isinstance(offset, bool) or offset % 1:
            return f"the offset of {name}, of {size} bytes, is {shown(offset)}{begins}"
        if not begin <= offset < begin + (1 << 40):
            return f"the offset of {name}, of {size} bytes, is {shown(offset)}{begins}"
    lowest = min(int(offsets[name]) for name in graph.sizes)
    # Otherwise offsets from a higher start address would also pass.
    if begin and lowest != begin:
        return f"the lowest offset is {lowest}{begins}"
    order = [made for made, _ in graph.steps]
    for moment, there in enumerate(graph.living(order)):
        for one, other in combinations(sorted(there), 2):
            first, second = sorted((one, other), key=lambda name: int(offsets[name]))
            if offsets[first] + graph.sizes[first] > offsets[second]:
                when = order[min(moment // 2, len(order) - 1)]
                return f"around the step that makes {when}, {one} and {other} overlap"
    return max(int(offsets[name]) + size for name, size in graph.sizes.items()) - begin


def orders(generator: Rng) -> Iterator[Question]:
    """Yield questions about small graphs whose best order is known."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number in range(SMALL_GRAPHS):
        graph = generated(rng, 3 + number // 9)
        yield Question(f"Graph {number + 1}", (graph.text(),), _ordered(graph))


def _ordered(graph: Graph) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        order = [str(name) for name in as_list(answer)]
        reads, done = graph.reads(), set(graph.inputs)
        if sorted(order) != sorted(reads):
            return f"{shown(answer)} does not name each step's tensor once"
        for made in order:
            if not done.issuperset(reads[made]):
                return f"{made} comes before something that it reads"
            done.add(made)
        peak, best = graph.peak(order), smallest(graph)
        if peak > best:
            return f"its peak is {peak} bytes, and {best} can be had; the graph is {graph.text()}"
        return None

    return mismatch


def smallest(graph: Graph) -> int:
    """Return the least peak in bytes, by trying every order."""
    reads = graph.reads()
    found = 1 << 60

    def go_on(order: list[str]) -> None:
        nonlocal found
        if len(order) == len(reads):
            found = min(found, graph.peak(order))
            return
        for made, read in reads.items():
            if made not in order and all(name in order or name in graph.inputs for name in read):
                go_on([*order, made])

    go_on([])
    return found
