"""Checks of operator fusion: kernels must be legal, maximally merged, and move the fewest bytes.

Our own machine runs the kernels in order and counts the bytes that they load and store. For a small
graph, the minimum is found by trying every partition of its steps.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.constants import constant
from hotloop.judge.questions import Question, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.batches import in_batches

Rng = np.random.Generator
Shape = tuple[int, int]
Kernels = list[list[str]]

GRAPHS = 80
SMALL_GRAPHS = 30
SMALL = 6
TRAPS = 10
"""Small graphs on which greedily merging the best pair of kernels misses the minimum."""
BYTES = 4
AT_ONCE = 20
TIMEOUT_S = 90.0

ONE = ("relu", "exp")
TWO = ("add", "mul")


@dataclass(frozen=True)
class Step:
    """One operation.

    made: name of its result. reads: names of its operands. shape: of the result.
    """

    made: str
    op: str
    reads: tuple[str, ...]
    shape: Shape


@dataclass(frozen=True)
class Graph:
    """A graph's steps, in an order in which they can run."""

    inputs: dict[str, Shape]
    outputs: tuple[str, ...]
    steps: tuple[Step, ...]

    def text(self) -> str:
        """Return the JSON that the learner's function is given."""
        steps = [[s.made, s.op, s.reads, s.shape] for s in self.steps]
        return json.dumps({"inputs": self.inputs, "outputs": self.outputs, "steps": steps})

    @cached_property
    def named(self) -> dict[str, Step]:
        """The steps by the name of their result."""
        return {step.made: step for step in self.steps}

    @cached_property
    def sizes(self) -> dict[str, int]:
        """Bytes of each value, inputs included."""
        shapes = self.inputs | {step.made: step.shape for step in self.steps}
        return {name: BYTES * rows * columns for name, (rows, columns) in shapes.items()}

    @cached_property
    def loops(self) -> dict[str, Shape]:
        """The iteration space of each step: a sum's is its operand's shape."""
        shapes = self.inputs | {step.made: step.shape for step in self.steps}
        return {s.made: shapes[s.reads[0]] if s.op == "sum" else s.shape for s in self.steps}

    def readers(self, name: str) -> set[str]:
        """Return the names of the results that are computed from `name`."""
        return {step.made for step in self.steps if name in step.reads}


# --- the machine ----------------------------------------------------------------------------------


def refused(graph: Graph, kernel: Sequence[str]) -> str | None:
    """Return why these steps cannot form a kernel, as a message fragment, or None."""
    steps = [graph.named[made] for made in kernel]
    if len({graph.loops[made] for made in kernel}) > 1:
        return f"the steps of kernel {shown(list(kernel))} have different loops"
    if sum(step.op == "matmul" for step in steps) > 1:
        return f"kernel {shown(list(kernel))} has two matmuls"
    for step in steps:
        for name in set(step.reads) & set(kernel):
            if step.op == "matmul":
                return f"{step.made} needs all of {name}, which its own kernel makes"
            if graph.named[name].op == "sum":
                return f"{step.made} reads the sum {name} before its kernel's loop has ended"
    return None


def run(graph: Graph, kernels: Kernels) -> int | str:
    """Return the bytes loaded and stored, or a message fragment if the kernels cannot run."""
    memory, total = set(graph.inputs), 0
    for kernel in kernels:
        refusal = refused(graph, kernel)
        if refusal is not None:
            return refusal
        loaded = {name for made in kernel for name in graph.named[made].reads} - set(kernel)
        if not loaded <= memory:
            missing = min(loaded - memory)
            return f"kernel {shown(kernel)} reads {missing}, which no earlier kernel has made"
        stored = {
            made
            for made in kernel
            if made in graph.outputs or not graph.readers(made) <= set(kernel)
        }
        memory |= stored
        total += sum(graph.sizes[name] for name in (*loaded, *stored))
    return total


def answered(graph: Graph, answer: object) -> Kernels | str:
    """Return the kernels, each step in exactly one; or a message fragment."""
    given = [as_list(kernel) for kernel in as_list(answer)]
    # A take-home's variant requires that each kernel begins with its number.
    first = constant("FIRST_KERNEL", 0, range(2, 1000))
    if first:
        for number, kernel in enumerate(given, first):
            if kernel[:1] != [number]:
                return f"kernel {shown(kernel)} does not begin with its number, {number}"
        given = [kernel[1:] for kernel in given]
    kernels = [[str(name) for name in kernel] for kernel in given]
    if sorted(name for kernel in kernels for name in kernel) != sorted(graph.named):
        return f"{shown(answer)} does not name each step once, in lists"
    return [kernel for kernel in kernels if kernel]


def ran(graph: Graph, answer: object) -> tuple[Kernels, int] | str:
    """Return the kernels and the bytes that they move, or a message fragment."""
    kernels = answered(graph, answer)
    if isinstance(kernels, str):
        return kernels
    moved = run(graph, kernels)
    return moved if isinstance(moved, str) else (kernels, moved)


def in_order(graph: Graph, kernels: Kernels) -> Kernels | None:
    """Return the kernels in an order in which they can run, or None if they wait for each other."""
    home = {made: number for number, kernel in enumerate(kernels) for made in kernel}
    before = {
        number: {home[n] for m in kernel for n in graph.named[m].reads if n in home} - {number}
        for number, kernel in enumerate(kernels)
    }
    order: list[int] = []
    while len(order) < len(kernels):
        ready = [n for n in before if n not in order and before[n] <= set(order)]
        if not ready:
            return None
        order += ready
    return [kernels[number] for number in order]


def cost(graph: Graph, kernels: Kernels) -> int | None:
    """Return the bytes moved, with the kernels in any working order; None if they cannot run."""
    if any(refused(graph, kernel) for kernel in kernels):
        return None
    order = in_order(graph, kernels)
    total = run(graph, order) if order is not None else None
    return total if isinstance(total, int) else None


def mergings(graph: Graph, kernels: Kernels) -> Iterator[tuple[int, Kernels]]:
    """Yield every legal merge of two kernels: the bytes then moved, and the kernels."""
    for place, one in enumerate(kernels):
        for other in kernels[place + 1 :]:
            rest = [kernel for kernel in kernels if kernel is not one and kernel is not other]
            merged = [[*one, *other], *rest]
            if refused(graph, merged[0]) is None and (bytes_ := cost(graph, merged)) is not None:
                yield bytes_, merged


def unmerged(graph: Graph, kernels: Kernels) -> str | None:
    """Return a message about two kernels whose merge moves fewer bytes, or None."""
    now = cost(graph, kernels)
    for then, merged in mergings(graph, kernels):
        if now is not None and then < now:
            return f"{shown(merged[0])} could be one kernel: {now} bytes are moved, {then} then"
    return None


def greedy(graph: Graph) -> int:
    """Return the bytes moved after merging the best pair until no merge helps."""
    kernels: Kernels = [[made] for made in graph.named]
    now = cost(graph, kernels) or 0
    while better := [pair for pair in mergings(graph, kernels) if pair[0] < now]:
        now, kernels = min(better, key=lambda pair: pair[0])
    return now


def least(graph: Graph) -> int:
    """Return the fewest bytes, by trying every partition of the steps."""
    costs = (cost(graph, kernels) for kernels in _divided(list(graph.named)))
    return min(found for found in costs if found is not None)


def _divided(names: list[str]) -> Iterator[Kernels]:
    if not names:
        yield []
        return
    first, *others = names
    for kernels in _divided(others):
        yield [[first], *kernels]
        for place, kernel in enumerate(kernels):
            yield [*kernels[:place], [first, *kernel], *kernels[place + 1 :]]


# --- hidden graphs --------------------------------------------------------------------------------


class _Maker:
    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.rows = rng.choice((4, 6, 16))
        self.widths = rng.sample((2, 3, 5, 8), 2)
        self.shapes: dict[str, Shape] = {}
        self.steps: list[Step] = []
        for name in ("x", "y"):
            self.shapes[name] = (self.rows, self.widths[0])
        self.inputs = ["x", "y"]

    def step(self, op: str, *reads: str, width: int | None = None) -> str:
        """Add a step; return its name. A matmul's second factor is a new input.

        width: a matmul's number of columns; by default that of its first factor.
        """
        rows, columns = self.shapes[reads[0]]
        if op == "matmul":
            columns, factor = width or columns, f"w{len(self.inputs)}"
            self.shapes[factor] = (self.shapes[reads[0]][1], columns)
            self.inputs.append(factor)
            reads = (reads[0], factor)
        elif op == "sum":
            columns = 1
        elif len(reads) > 1:
            columns = max(columns, self.shapes[reads[1]][1])
        made = f"t{len(self.steps)}"
        self.steps.append(Step(made, op, reads, (rows, columns)))
        self.shapes[made] = (rows, columns)
        return made

    def random(self) -> None:
        """Add a random step, mostly on recent values."""
        names = ["x", "y", *(step.made for step in self.steps)]
        source = self.rng.choice(names[-4:] if self.rng.random() < 0.7 else names)
        op = self.rng.choice((*ONE, *TWO, *TWO, *TWO, "sum", "matmul"))
        columns = self.shapes[source][1]
        if op == "matmul":
            self.step(op, source, width=self.rng.choice(self.widths))
        elif op in TWO:
            fitting = [n for n in names if self.shapes[n][1] in (columns, 1) and n != source]
            self.step(op, source, self.rng.choice(fitting)) if fitting else self.step(
                "relu", source
            )
        elif op == "sum" and columns == 1:
            self.step("exp", source)
        else:
            self.step(op, source)

    def graph(self) -> Graph:
        """Return the graph.

        Its outputs are the values that no step reads, and sometimes one more.
        """
        read = {name for step in self.steps for name in step.reads}
        outputs = {step.made for step in self.steps if step.made not in read}
        if self.rng.random() < 0.4:
            outputs.add(self.rng.choice(self.steps).made)
        inputs = {name: self.shapes[name] for name in self.inputs if name in read}
        return Graph(inputs, tuple(sorted(outputs)), tuple(self.steps))


def _normalised(maker: _Maker) -> None:
    """Elements that are multiplied with their own sum, and so wait for it."""
    powers = maker.step("exp", "x")
    total = maker.step("sum", powers)
    maker.step("mul", powers, total)


def _around_a_product(maker: _Maker) -> None:
    """Steps before and after a matmul, which cannot be in one kernel."""
    before = maker.step("relu", "x")
    product = maker.step("matmul", before)
    maker.step("add", product, before)


def _two_products(maker: _Maker) -> None:
    """An addition of two matmuls, of which only one can be fused with it."""
    maker.step("add", maker.step("matmul", "x"), maker.step("matmul", "y"))


def _read_twice(maker: _Maker) -> None:
    """A value with two readers, all fusible into one kernel."""
    first = maker.step("add", "x", "y")
    maker.step("mul", maker.step("relu", first), maker.step("exp", first))


MOTIFS: tuple[Callable[[_Maker], None], ...] = (
    _normalised,
    _around_a_product,
    _two_products,
    _read_twice,
)


def generated(rng: random.Random, number: int, steps: int) -> Graph:
    """Return a graph that starts with motif `number` and has at least `steps` steps."""
    maker = _Maker(rng)
    MOTIFS[number % len(MOTIFS)](maker)
    while len(maker.steps) < steps:
        maker.random()
    return maker.graph()


def small_graphs(rng: random.Random) -> Iterator[tuple[Graph, int]]:
    """Yield small graphs and the fewest bytes that they can move.

    TRAPS of them defeat greedy merging.
    """
    traps = plain = number = 0
    while traps + plain < SMALL_GRAPHS:
        number += 1
        graph = generated(rng, number, SMALL)
        fewest = least(graph)
        trap = greedy(graph) > fewest
        if trap and traps < TRAPS:
            traps += 1
            yield graph, fewest
        elif not trap and plain < SMALL_GRAPHS - TRAPS:
            plain += 1
            yield graph, fewest


# --- rungs ----------------------------------------------------------------------------------------


def fused(session: Session, *, thorough: bool = False) -> str:
    """Check that the kernels of each graph are legal and can run in the given order.

    thorough: also check that merging no two of them moves fewer bytes. Returns the message for the
    learner; raises Ruling.
    """
    pairs = session.once("fused graphs", lambda: _answers(session))
    before = after = kernels = 0
    for number, (graph, answer) in enumerate(pairs, 1):
        found = ran(graph, answer)
        if thorough and not isinstance(found, str):
            found = unmerged(graph, found[0]) or found
        if isinstance(found, str):
            sentence = f"Graph {number}: {found}. It was: {graph.text()}"
            raise Ruling(Verdict.WRONG_ANSWER, sentence)
        kernels += len(found[0])
        after += found[1]
        before += cost(graph, [[made] for made in graph.named]) or 0
    session.note(kernels=kernels, bytes_before=before, bytes_after=after)
    steps = sum(len(graph.steps) for graph, _ in pairs)
    return f"{steps} steps in {kernels} kernels, {after} bytes moved instead of {before}."


def _answers(session: Session) -> list[tuple[Graph, object]]:
    rng = random.Random(int(session.rng().integers(1 << 62)))
    graphs = [generated(rng, number, 3 + number // 9) for number in range(GRAPHS)]
    answers = in_batches(session, [graph.text() for graph in graphs], AT_ONCE, TIMEOUT_S)
    return list(zip(graphs, answers, strict=True))


def least_moved(generator: Rng) -> Iterator[Question]:
    """Yield questions about small graphs whose minimum is known."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number, (graph, fewest) in enumerate(small_graphs(rng), 1):
        yield Question(f"Graph {number}", (graph.text(),), _moves_least(graph, fewest))


def _moves_least(graph: Graph, fewest: int) -> Callable[[object], str | None]:
    def mismatch(answer: object) -> str | None:
        found = ran(graph, answer)
        if isinstance(found, str):
            return found
        _, moved = found
        if moved > fewest:
            return f"{moved} bytes are moved, and {fewest} would do; the graph is {graph.text()}"
        return None

    return mismatch
