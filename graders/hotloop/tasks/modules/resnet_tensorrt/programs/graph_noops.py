"""Small random graphs with no-op nodes, and the fewest nodes that suffice.

A graph is drawn node by node: permutations of axes (given, or left to the default, which reverses
them), Identity, Dropout, and nodes that compute something and depend on the order of axes. Tensors
have random names, so that no name reveals its producer.
"""

from __future__ import annotations

import copy
from collections import Counter
from collections.abc import Callable, Iterator, Mapping

import numpy as np
import onnx
from onnx import TensorProto, numpy_helper
from onnx_builder import Builder, Rng
from onnx_motifs import subgraph
from onnx_rewrites import unsound
from onnx_walk import nodes_inside, nodes_within

SIDES = (2, 3, 4, 5)
WITH_TRANSPOSES = {
    "transpose": 0.3,
    "back": 0.1,
    "identity": 0.18,
    "dropout": 0.14,
    "computes": 0.28,
}
WITHOUT_TRANSPOSES = {"identity": 0.35, "dropout": 0.3, "computes": 0.35}
PASSED_ON = frozenset({"Identity", "Dropout", "Transpose"})

Wanted = tuple[str, tuple[int, ...]]


class Draft(Builder):
    """A graph that is being drawn, with a Dropout's share and modes stored."""

    def __init__(self, rng: Rng) -> None:
        super().__init__(rng, anonymous=True)
        self.share = self.weight(0.0)
        self.on, self.off = (self.weight(np.array(value)) for value in (True, False))

    def tensors(self) -> list[str]:
        """Return the names of all float tensors that are not stored, the oldest first."""
        stored = {tensor.name for tensor in self.initializers}
        kinds = {name: kind.tensor_type.elem_type for name, kind in self.types.items()}
        return [n for n, kind in kinds.items() if kind == TensorProto.FLOAT and n not in stored]

    def pick(self) -> str:
        """Return a tensor, preferably a recent one, so that nodes form chains."""
        names = self.tensors()
        return names[max(0, len(names) - int(self.rng.geometric(0.4)))]

    def like(self, x: str) -> str:
        """Return a tensor of the same shape."""
        names = [name for name in self.tensors() if self.shape(name) == self.shape(x)]
        return names[self.rng.integers(len(names))]

    def axis(self, x: str) -> int:
        """Return one of a tensor's axes."""
        return int(self.rng.integers(len(self.shape(x))))


def noop_graph(rng: Rng, *, transposes: bool) -> onnx.ModelProto:
    """Return a graph of a few nodes, most of which do nothing.

    In half of the graphs all sides are equal, so that a wrong order of axes does not show in
    shapes.
    """
    draft = Draft(rng)
    sides = [int(rng.choice(SIDES))] * 4 if rng.random() < 0.5 else rng.permutation(SIDES)
    for _ in range(int(rng.integers(1, 3))):
        draft.input(draft.new_name(""), list(map(int, sides[: rng.integers(2, 5)])))
    shares = WITH_TRANSPOSES if transposes else WITHOUT_TRANSPOSES
    for _ in range(int(rng.integers(2, 13))):
        DRAWN[str(rng.choice(list(shares), p=list(shares.values())))](draft, draft.pick())
    return _finished(draft)


def _transpose(draft: Draft, x: str) -> str:
    if draft.rng.random() < 0.15:
        return draft.node("Transpose", [x])
    return draft.node("Transpose", [x], perm=draft.rng.permutation(len(draft.shape(x))).tolist())


def _back(draft: Draft, x: str) -> str:
    axes = draft.rng.permutation(len(draft.shape(x)))
    there = draft.node("Transpose", [x], perm=axes.tolist())
    return draft.node("Transpose", [there], perm=np.argsort(axes).tolist())


def _dropout(draft: Draft, x: str) -> None:
    """Add a Dropout with no training mode, or one that is off, or one that is on, which stays."""
    mode = str(draft.rng.choice(["", draft.off, draft.on], p=[0.5, 0.3, 0.2]))
    inputs = [x, draft.share, mode] if mode else [x, draft.share][: draft.rng.integers(1, 3)]
    chance = draft.rng.random()
    dropped = draft.node("Dropout", inputs, outputs=1 + (chance < 0.3))
    if chance < 0.15:
        seen = draft.node("Cast", [draft.nodes[-1].output[1]], to=TensorProto.FLOAT)
        draft.node("Add", [seen, dropped])


def _decide(draft: Draft, x: str) -> str:
    """Add an If with a tensor of the graph around it in each of its branches."""
    text = "{0} () => (float{1} {0}_inside) {{ {0}_inside = {2}({3}) }}"
    branches = {
        name: subgraph(text.format(draft.new_name(""), list(draft.shape(read)), op, read))
        for name, op, read in (("then_branch", "Tanh", x), ("else_branch", "Neg", draft.like(x)))
    }
    return draft.node("If", [str(draft.rng.choice([draft.on, draft.off]))], **branches)


COMPUTED: tuple[Callable[[Draft, str], str], ...] = (
    lambda draft, x: draft.node(str(draft.rng.choice(["Tanh", "Sigmoid", "Neg"])), [x]),
    lambda draft, x: draft.node("Softmax", [x], axis=draft.axis(x)),
    lambda draft, x: draft.node("Concat", [x, draft.like(x)], axis=draft.axis(x)),
    lambda draft, x: draft.node(str(draft.rng.choice(["Add", "Max"])), [x, draft.like(x)]),
    _decide,
)
DRAWN: Mapping[str, Callable[[Draft, str], object]] = {
    "transpose": _transpose,
    "back": _back,
    "identity": lambda draft, x: draft.node("Identity", [x]),
    "dropout": _dropout,
    "computes": lambda draft, x: COMPUTED[draft.rng.integers(len(COMPUTED))](draft, x),
}


def _finished(draft: Draft) -> onnx.ModelProto:
    """Make outputs of all unread computing nodes, and of some others; the rest stays unread."""
    rng = draft.rng
    nodes = [inner for node in draft.nodes for inner in (node, *nodes_inside(node))]
    read = {name for node in nodes for name in node.input}
    computing = {node.output[0] for node in draft.nodes if node.op_type not in PASSED_ON}
    results = [name for name in draft.tensors() if name not in draft.inputs]
    shown = [n for n in results if n not in read and (n in computing or rng.random() < 0.7)]
    shown += [n for n in results if n not in shown and rng.random() < 0.15]
    draft.outputs = rng.permutation(shown or results[-1:]).tolist()
    return draft.model()


# --- reading what was made ------------------------------------------------------------------------


def mismatch(source: onnx.ModelProto, rewritten: onnx.ModelProto) -> str | None:
    """Return a message fragment, or None if everything is right."""
    return next(_mismatches(source, rewritten), None)


def mismatch_of_another(once: onnx.ModelProto, twice: onnx.ModelProto) -> str | None:
    """Return a message if rewriting a rewritten model changes more than names, else None."""
    if _unnamed(once.graph) == _unnamed(twice.graph):
        return None
    return "a second rewrite changes the graph once more"


def _unnamed(graph: onnx.GraphProto) -> list[onnx.NodeProto]:
    """Return the nodes with numbers for the names of the tensors that they make, unless outputs.

    What only passes a tensor on loses its own name, too.
    """
    shown = {value.name for value in graph.output}
    numbers: dict[str, str] = {}
    nodes: list[onnx.NodeProto] = []
    for node in graph.node:
        twin = copy.deepcopy(node)
        for name in node.output:
            numbers[name] = name if name in shown else f"#{len(numbers)}"
        for each in (twin, *nodes_inside(twin)):
            each.input[:] = [numbers.get(name, name) for name in each.input]
        twin.output[:] = [numbers[name] for name in node.output]
        if twin.op_type in PASSED_ON:
            twin.name = ""
        nodes.append(twin)
    return nodes


def fewest_nodes(model: onnx.ModelProto) -> int:
    """Return the fewest nodes of an equivalent graph.

    These are the computing nodes, one Transpose for each needed tensor in other axes, and one node
    for each graph output that none of these produces.
    """
    graph = model.graph
    origins = _origins(model)
    computing = _computing(model)
    computed = {name for node in computing for name in node.output if name}
    outputs = [origins.get(value.name, (value.name, ())) for value in graph.output]
    readers = [inner for node in computing for inner in (node, *nodes_inside(node))]
    needed = {origins[name] for node in readers for name in node.input if name in origins}
    transposed = {wanted for wanted in (*needed, *outputs) if wanted[1]}
    named: set[Wanted] = set()
    copies = 0
    for wanted in outputs:
        root, axes = wanted
        free = wanted not in named and (axes or root in computed)
        copies += not free
        named.add(wanted)
    return len(computing) + len(transposed) + copies


def _mismatches(source: onnx.ModelProto, rewritten: onnx.ModelProto) -> Iterator[str]:
    yield from unsound(source, rewritten)
    if _described(_computing(source)) != _described(_computing(rewritten)):
        yield "the nodes that compute something should all be there, as they were"
    count, fewest = len(rewritten.graph.node), fewest_nodes(source)
    if count != fewest:
        before = len(source.graph.node)
        kinds = Counter(node.op_type for node in rewritten.graph.node)
        left = ", ".join(f"{number} {op}" for op, number in sorted(kinds.items()))[:100]
        yield f"of {before} nodes {count} are left, and {fewest} would do ({left})"


def _described(nodes: list[onnx.NodeProto]) -> Counter[tuple[str, ...]]:
    """Count nodes by name, attributes and number of inputs; tensor names may have changed."""
    return Counter(
        (n.name, n.op_type, *sorted(map(_attribute, n.attribute)), str(len(n.input))) for n in nodes
    )


def _attribute(attribute: onnx.AttributeProto) -> str:
    """Return an attribute as text; of a branch its operations, since it may read another name."""
    if attribute.type != onnx.AttributeProto.GRAPH:
        return str(attribute)
    return f"{attribute.name}: {[node.op_type for node in attribute.g.node]}"


def _computing(model: onnx.ModelProto) -> list[onnx.NodeProto]:
    return [node for node in model.graph.node if not _passes_on(model.graph, node)]


def _passes_on(graph: onnx.GraphProto, node: onnx.NodeProto) -> bool:
    if node.op_type != "Dropout":
        return node.op_type in PASSED_ON
    mode = node.input[2] if len(node.input) > 2 else ""
    off = {t.name for t in graph.initializer if not numpy_helper.to_array(t).any()}
    read = {name for other in nodes_within(graph) for name in other.input}
    read.update(value.name for value in graph.output)
    return (not mode or mode in off) and read.isdisjoint(node.output[1:])


def _origins(model: onnx.ModelProto) -> dict[str, Wanted]:
    """Map each tensor that is only passed on to its origin and the order of its axes."""
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    values = (*graph.input, *graph.value_info, *graph.output)
    ranks = {value.name: len(value.type.tensor_type.shape.dim) for value in values}
    origins: dict[str, Wanted] = {}
    for node in model.graph.node:
        if not _passes_on(model.graph, node):
            continue
        source = node.input[0]
        root, axes = origins.get(source, (source, ()))
        order = np.array(axes or range(ranks[source]))
        if node.op_type == "Transpose":
            perms = [list(a.ints) for a in node.attribute if a.name == "perm"]
            order = order[perms[0]] if perms else order[::-1]
        plain = bool(np.all(order == np.arange(len(order))))
        origins[node.output[0]] = root, () if plain else tuple(map(int, order))
    return origins
