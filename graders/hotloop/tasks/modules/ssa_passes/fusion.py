"""Checks of operator fusion: kernels must be legal, maximally merged, and move the fewest bytes.

Our own machine runs the kernels in order and counts the bytes that they load and store. For a small
graph, the minimum is found by trying every partition of its steps.
"""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import as_list
from hotloop.judge.constants import constant
from hotloop.judge.graphs.builder import Builder
from hotloop.judge.graphs.graph import Graph, in_order, partitions
from hotloop.judge.questions import Question, shown
from hotloop.judge.session import Session
from hotloop.tasks.modules.ssa_passes.cleaning import in_batches

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


Tensors = Graph[Shape]
"""A graph of matrices. Its `types` are the shapes of all values."""


def text(graph: Tensors) -> str:
    """Return the JSON that the learner's function is given."""
    steps = [[node.name, node.op, node.inputs, graph.types[node.name]] for node in graph.nodes]
    inputs = graph.input_types()
    return json.dumps({"inputs": inputs, "outputs": graph.outputs, "steps": steps})


def size(graph: Tensors, name: str) -> int:
    """Return the bytes of a value."""
    rows, columns = graph.types[name]
    return BYTES * rows * columns


def loop(graph: Tensors, name: str) -> Shape:
    """Return the iteration space of a node: a sum's is its operand's shape."""
    node = graph.by_name[name]
    return graph.types[node.reads[0] if node.op == "sum" else name]


# --- the machine ----------------------------------------------------------------------------------


def refused(graph: Tensors, kernel: Sequence[str]) -> str | None:
    """Return why these steps cannot form a kernel, as a message fragment, or None."""
    steps = [graph.by_name[value] for value in kernel]
    if len({loop(graph, value) for value in kernel}) > 1:
        return f"the steps of kernel {shown(list(kernel))} have different loops"
    if sum(step.op == "matmul" for step in steps) > 1:
        return f"kernel {shown(list(kernel))} has two matmuls"
    for step in steps:
        for name in set(step.reads) & set(kernel):
            if step.op == "matmul":
                return f"{step.name} needs all of {name}, which its own kernel makes"
            if graph.by_name[name].op == "sum":
                return f"{step.name} reads the sum {name} before its kernel's loop has ended"
    return None


def run(graph: Tensors, kernels: Kernels) -> int | str:
    """Return the bytes loaded and stored, or a message fragment if the kernels cannot run."""
    memory, total = set(graph.inputs), 0
    for kernel in kernels:
        refusal = refused(graph, kernel)
        if refusal is not None:
            return refusal
        loaded = {name for value in kernel for name in graph.by_name[value].reads} - set(kernel)
        if not loaded <= memory:
            missing = min(loaded - memory)
            return f"kernel {shown(kernel)} reads {missing}, which no earlier kernel has made"
        stored = {
            value
            for value in kernel
            if value in graph.outputs or not graph.readers(value) <= set(kernel)
        }
        memory |= stored
        total += sum(size(graph, name) for name in (*loaded, *stored))
    return total


def answered(graph: Tensors, answer: object) -> Kernels | str:
    """Return the kernels, each step in exactly one; or a message fragment."""
    lists = [as_list(kernel) for kernel in as_list(answer)]
    # A take-home's variant requires that each kernel begins with its number.
    first = constant("FIRST_KERNEL", 0, range(2, 1000))
    if first:
        for number, kernel in enumerate(lists, first):
            if kernel[:1] != [number]:
                return f"kernel {shown(kernel)} does not begin with its number, {number}"
        lists = [kernel[1:] for kernel in lists]
    kernels = [[str(name) for name in kernel] for kernel in lists]
    if sorted(name for kernel in kernels for name in kernel) != sorted(graph.by_name):
        return f"{shown(answer)} does not name each step once, in lists"
    return [kernel for kernel in kernels if kernel]


def ran(graph: Tensors, answer: object) -> tuple[Kernels, int] | str:
    """Return the kernels and the bytes that they move, or a message fragment."""
    kernels = answered(graph, answer)
    if isinstance(kernels, str):
        return kernels
    moved = run(graph, kernels)
    return moved if isinstance(moved, str) else (kernels, moved)


def ordered(graph: Tensors, kernels: Kernels) -> Kernels | None:
    """Return the kernels in an order in which they can run, or None if they wait for each other."""
    home = {value: number for number, kernel in enumerate(kernels) for value in kernel}
    needs = {
        number: {home[n] for m in kernel for n in graph.by_name[m].reads if n in home} - {number}
        for number, kernel in enumerate(kernels)
    }
    order = in_order(needs)
    return None if order is None else [kernels[number] for number in order]


def cost(graph: Tensors, kernels: Kernels) -> int | None:
    """Return the bytes moved, with the kernels in any working order; None if they cannot run."""
    if any(refused(graph, kernel) for kernel in kernels):
        return None
    order = ordered(graph, kernels)
    total = run(graph, order) if order is not None else None
    return total if isinstance(total, int) else None


def mergings(graph: Tensors, kernels: Kernels) -> Iterator[tuple[int, Kernels]]:
    """Yield every legal merge of two kernels: the bytes then moved, and the kernels."""
    for place, one in enumerate(kernels):
        for other in kernels[place + 1 :]:
            rest = [kernel for kernel in kernels if kernel is not one and kernel is not other]
            merged = [[*one, *other], *rest]
            if refused(graph, merged[0]) is None and (bytes_ := cost(graph, merged)) is not None:
                yield bytes_, merged


def unmerged(graph: Tensors, kernels: Kernels) -> str | None:
    """Return a message about two kernels whose merge moves fewer bytes, or None."""
    now = cost(graph, kernels)
    for then, merged in mergings(graph, kernels):
        if now is not None and then < now:
            return f"{shown(merged[0])} could be one kernel: {now} bytes are moved, {then} then"
    return None


def greedy(graph: Tensors) -> int:
    """Return the bytes moved after merging the best pair until no merge helps."""
    kernels: Kernels = [[name] for name in graph.by_name]
    now = cost(graph, kernels) or 0
    while better := [pair for pair in mergings(graph, kernels) if pair[0] < now]:
        now, kernels = min(better, key=lambda pair: pair[0])
    return now


def least(graph: Tensors) -> int:
    """Return the fewest bytes, by trying every partition of the steps."""
    costs = (cost(graph, kernels) for kernels in partitions(list(graph.by_name)))
    return min(moved for moved in costs if moved is not None)


# --- hidden graphs --------------------------------------------------------------------------------


class _MatrixGraphBuilder(Builder[Shape]):
    def __init__(self, rng: random.Random) -> None:
        super().__init__()
        self.rng = rng
        rows = rng.choice((4, 6, 16))
        self.widths = rng.sample((2, 3, 5, 8), 2)
        for name in ("x", "y"):
            self.input(name, (rows, self.widths[0]))

    def step(self, op: str, *reads: str, width: int | None = None) -> str:
        """Add a step; return its name. A matmul's second factor is a new input.

        width: a matmul's number of columns; by default that of its first factor.
        """
        rows, columns = self.types[reads[0]]
        if op == "matmul":
            inner, columns = columns, width or columns
            reads = (reads[0], self.input(f"w{len(self.inputs)}", (inner, columns)))
        elif op == "sum":
            columns = 1
        elif len(reads) > 1:
            columns = max(columns, self.types[reads[1]][1])
        return self.node(op, *reads, type_=(rows, columns))

    def random(self) -> None:
        """Add a random step, mostly on recent values."""
        names = [name for name in self.types if not name.startswith("w")]
        source = self.rng.choice(names[-4:] if self.rng.random() < 0.7 else names)
        op = self.rng.choice((*ONE, *TWO, *TWO, *TWO, "sum", "matmul"))
        columns = self.types[source][1]
        if op == "matmul":
            self.step(op, source, width=self.rng.choice(self.widths))
        elif op in TWO:
            fitting = [n for n in names if self.types[n][1] in (columns, 1) and n != source]
            self.step(op, source, self.rng.choice(fitting)) if fitting else self.step(
                "relu", source
            )
        elif op == "sum" and columns == 1:
            self.step("exp", source)
        else:
            self.step(op, source)

    def finished(self) -> Tensors:
        """Return the graph.

        Its outputs are the values that no step reads, and sometimes one more.
        """
        read = {name for node in self.nodes for name in node.reads}
        outputs = set(self.unread())
        if self.rng.random() < 0.4:
            outputs.add(self.rng.choice(self.nodes).name)
        self.inputs = [name for name in self.inputs if name in read]
        return self.graph(sorted(outputs))


def _normalized(builder: _MatrixGraphBuilder) -> None:
    """Elements that are multiplied with their own sum, and so wait for it."""
    powers = builder.step("exp", "x")
    total = builder.step("sum", powers)
    builder.step("mul", powers, total)


def _around_a_product(builder: _MatrixGraphBuilder) -> None:
    """Steps before and after a matmul, which cannot be in one kernel."""
    before = builder.step("relu", "x")
    product = builder.step("matmul", before)
    builder.step("add", product, before)


def _two_products(builder: _MatrixGraphBuilder) -> None:
    """An addition of two matmuls, of which only one can be fused with it."""
    builder.step("add", builder.step("matmul", "x"), builder.step("matmul", "y"))


def _read_twice(builder: _MatrixGraphBuilder) -> None:
    """A value with two readers, all fusible into one kernel."""
    first = builder.step("add", "x", "y")
    builder.step("mul", builder.step("relu", first), builder.step("exp", first))


MOTIFS: tuple[Callable[[_MatrixGraphBuilder], None], ...] = (
    _normalized,
    _around_a_product,
    _two_products,
    _read_twice,
)


def generated(rng: random.Random, number: int, steps: int) -> Tensors:
    """Return a graph that starts with motif `number` and has at least `steps` steps."""
    builder = _MatrixGraphBuilder(rng)
    MOTIFS[number % len(MOTIFS)](builder)
    while len(builder.nodes) < steps:
        builder.random()
    return builder.finished()


def small_graphs(rng: random.Random) -> Iterator[tuple[Tensors, int]]:
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


# --- checks ---------------------------------------------------------------------------------------


def fused(session: Session, *, thorough: bool = False) -> str:
    """Check that the kernels of each graph are legal and can run in the given order.

    thorough: also check that merging no two of them moves fewer bytes. Returns the message for the
    learner; raises Ruling.
    """
    pairs = session.once("fused graphs", lambda: _answers(session))
    before = after = kernels = 0
    for number, (graph, answer) in enumerate(pairs, 1):
        result = ran(graph, answer)
        if thorough and not isinstance(result, str):
            result = unmerged(graph, result[0]) or result
        if isinstance(result, str):
            sentence = f"Graph {number}: {result}. It was: {text(graph)}"
            raise Ruling(Verdict.WRONG_ANSWER, sentence)
        kernels += len(result[0])
        after += result[1]
        before += cost(graph, [[name] for name in graph.by_name]) or 0
    session.note(kernels=kernels, bytes_before=before, bytes_after=after)
    steps = sum(len(graph.nodes) for graph, _ in pairs)
    return f"{steps} steps in {kernels} kernels, {after} bytes moved instead of {before}."


def _answers(session: Session) -> list[tuple[Tensors, object]]:
    rng = random.Random(int(session.rng().integers(1 << 62)))
    graphs = [generated(rng, number, 3 + number // 9) for number in range(GRAPHS)]
    answers = in_batches(session, [text(graph) for graph in graphs], AT_ONCE, TIMEOUT_S)
    return list(zip(graphs, answers, strict=True))


def least_moved(generator: Rng) -> Iterator[Question]:
    """Yield questions about small graphs whose minimum is known."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number, (graph, fewest) in enumerate(small_graphs(rng), 1):
        yield Question(f"Graph {number}", (text(graph),), partial(_mismatch, graph, fewest))


def _mismatch(graph: Tensors, fewest: int, answer: object) -> str | None:
    result = ran(graph, answer)
    if isinstance(result, str):
        return result
    _, moved = result
    if moved > fewest:
        return f"{moved} bytes are moved, and {fewest} would do; the graph is {text(graph)}"
    return None
