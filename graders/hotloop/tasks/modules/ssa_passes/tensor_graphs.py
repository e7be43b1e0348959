"""Straight-line tensor programs with in-place writes and random numbers: generated, parsed, run.

Our own interpreter, with one number for each tensor, defines what a program computes. torch is not
loaded.
"""

from __future__ import annotations

import random
from collections.abc import Sequence

from hotloop.judge.constants import constant
from hotloop.judge.graphs.builder import Builder
from hotloop.judge.graphs.graph import Graph, Invalid, Node, expression, require_order
from hotloop.judge.questions import shown
from hotloop.tasks.modules.ssa_passes.arithmetic import is_name
from hotloop.tasks.modules.ssa_passes.cleaning import Language
from hotloop.tasks.modules.ssa_passes.language import Malformed

ARITY = {
    **dict.fromkeys(("add", "sub", "mul", "add_", "mul_"), 2),
    **dict.fromkeys(("relu", "neg", "relu_", "rand_like"), 1),
}
PURE = ("add", "sub", "mul", "relu", "neg")
COMMUTATIVE = ("add", "mul")
METHODS = ("add_", "mul_", "relu_")
COUNT = 200
MOST_LINES = 500
TWINS_EVERY = 20
"""One of this many programs ends with two random draws that look alike."""

Tensors = Graph[None]
"""A program. Its outputs may be inputs, too."""


def text(graph: Tensors) -> str:
    """Return the text that the learner's function is given."""
    lines = [" ".join((node.name, "=", node.op, *node.reads)) for node in graph.nodes]
    inputs, outputs = " ".join(("inputs", *graph.inputs)), " ".join(("return", *graph.outputs))
    return "\n".join([inputs, *lines, outputs]) + "\n"


def owners(graph: Tensors) -> dict[str, str]:
    """Map each name to the owner of its memory: a method returns its first argument."""
    owner = {name: name for name in graph.inputs}
    for node in graph.nodes:
        owner[node.name] = owner[node.reads[0]] if node.op in METHODS else node.name
    return owner


def run(graph: Tensors, inputs: Sequence[int]) -> list[int]:
    """Return the outputs followed by the final values of the inputs.

    One int stands for a tensor.
    """
    owner = owners(graph)
    memory = dict(zip(graph.inputs, inputs, strict=True))
    draws = 0
    for node in graph.nodes:
        if node.op == "rand_like":
            draws += 1
            memory[node.name] = draws * 7919
        else:
            arguments = [memory[owner[name]] for name in node.reads]
            memory[owner[node.name]] = _computed(node.op.removesuffix("_"), arguments)
    return [memory[owner[name]] for name in (*graph.outputs, *graph.inputs)]


def _computed(op: str, values: list[int]) -> int:
    """Compute in integers modulo a large prime, so that nothing is rounded."""
    if op == "relu":
        return max(values[0], 0)
    if op == "neg":
        return -values[0]
    one, other = values
    number = {"add": one + other, "sub": one - other, "mul": one * other}[op]
    return number % 1_000_003 - 500_000


def parse(answer: object) -> Tensors:
    """Parse a program. Raises Malformed, also if a name is read before its definition."""
    if not isinstance(answer, str):
        raise Malformed(f"it gives {shown(answer)}, not a text")
    lines = [line.split() for line in answer.splitlines()]
    # A take-home's variant requires a last line with the number that marks the graph's output.
    mark = constant("CLEANED", 0, range(2, 1000))
    if mark and (not lines or lines.pop() != ["cleaned", str(mark)]):
        raise Malformed(f"its output is not marked as cleaned, by {mark}")
    if not 2 <= len(lines) <= MOST_LINES or not all(lines):
        raise Malformed("it does not give a program")
    first, *middle, last = lines
    if first[0] != "inputs" or last[0] != "return":
        raise Malformed("it does not begin with inputs, or does not end with return")
    nodes: list[Node] = []
    for words in middle:
        name, equals, op, *args = [*words, "", "", ""][: max(len(words), 3)]
        if equals != "=" or ARITY.get(op) != len(args) or not is_name(name):
            raise Malformed(f"{shown(' '.join(words))} is no step")
        nodes.append(Node(name, op, tuple(args)))
    graph: Tensors = Graph(tuple(first[1:]), tuple(nodes), tuple(last[1:]))
    try:
        require_order(graph)
    except Invalid as error:
        raise Malformed(str(error)) from None
    return graph


def generated(rng: random.Random, count: int) -> Tensors:
    """Return a random program with repetitions, writes between them, and unused results."""
    names = ["x", "y"]
    builder = Builder[None](inputs=["x", "y"])
    for _ in range(count):
        op = rng.choice((*PURE, *PURE, *PURE, *METHODS, "rand_like"))
        again = [node for node in builder.nodes if node.op in PURE]
        args = tuple(rng.choice(names[-5:]) for _ in range(ARITY[op]))
        if again and rng.random() < 0.35:
            old = rng.choice(again)
            op, args = old.op, old.reads
            if rng.random() < 0.3:
                args = args[::-1]
        if op == "rand_like":
            args = ("x",)
        names.append(builder.node(op, *args))
    return builder.graph(rng.sample(names, min(3, len(names))))


def programs(rng: random.Random) -> list[Tensors]:
    """Return the hidden programs, the small ones first."""
    graphs = [generated(rng, 2 + number // 10) for number in range(COUNT)]
    # Random programs almost never contain twins whose difference shows.
    graphs[::TWINS_EVERY] = map(with_twin_draws, graphs[::TWINS_EVERY])
    return graphs


def with_twin_draws(graph: Tensors) -> Tensors:
    """Append two draws for the same argument, and return both as the first outputs."""
    names = [f"t{len(graph.nodes) + more}" for more in (0, 1)]
    twins = [Node(name, "rand_like", ("x",)) for name in names]
    outputs = (*names, *graph.outputs)[: len(graph.outputs)]
    return Graph(graph.inputs, (*graph.nodes, *twins), outputs)


def unfinished(graph: Tensors) -> str | None:
    """Return a message about something left to merge or remove, or None."""
    owner = owners(graph)
    written = {owner[node.name] for node in graph.nodes if node.op in METHODS}
    version = dict.fromkeys(owner.values(), 0)
    seen: dict[tuple[object, ...], str] = {}
    for node in graph.nodes:
        if node.op in METHODS:
            version[owner[node.name]] += 1
        if node.op not in PURE:
            continue
        if node.name not in graph.outputs and not graph.readers(node.name):
            return f"{node.name} is still computed, and nobody reads it"
        if node.name in written:
            continue
        operands = [(owner[name], version[owner[name]]) for name in node.reads]
        other = seen.setdefault(expression(node.op, operands, COMMUTATIVE), node.name)
        if other != node.name:
            return f"{node.name} is computed again: {other} is that, and neither is written to"
    return None


def same_ends(program: Tensors, result: Tensors) -> str | None:
    """Return a message if the inputs or the numbers of outputs differ, else None."""
    if result.inputs != program.inputs or len(result.outputs) != len(program.outputs):
        return "it takes or returns something else"
    return None


def different(program: Tensors, result: Tensors, rng: random.Random) -> str | None:
    """Return a message if outputs or final inputs differ on one of four inputs, else None."""
    for _ in range(4):
        inputs = [rng.randint(-50, 50) for _ in program.inputs]
        got, want = run(result, inputs), run(program, inputs)
        if got != want:
            return f"with {inputs} it gives {got}, not {want}"
    return None


LANGUAGE = Language(programs, text, lambda _session: parse, same_ends)
"""torch.fx graphs as text."""
