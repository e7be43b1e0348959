"""Small random graphs with no-op nodes, and the fewest nodes that suffice.

A graph is drawn node by node: permutations of axes (given, or left to the default, which reverses
them), Identity, Dropout, and nodes that compute something and depend on the order of axes. Tensors
have random names, so that no name reveals its producer.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import onnx
from graph_nets import IR_VERSION, OPSET, Rng
from graph_sound import unsound
from graph_walk import nodes_inside, nodes_within
from onnx import TensorProto, helper, numpy_helper

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


@dataclass
class Draft:
    """A graph that is being drawn.

    shapes: of its tensors, by name. unread: outputs without readers.
    """

    rng: Rng
    nodes: list[onnx.NodeProto] = field(default_factory=list)
    shapes: dict[str, tuple[int, ...]] = field(default_factory=dict)
    inputs: list[str] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)

    def name(self) -> str:
        """Return a new random name."""
        while (name := f"t{self.rng.integers(10**6)}") in self.shapes:
            pass
        return name

    def pick(self) -> str:
        """Return a tensor, preferably a recent one, so that nodes form chains."""
        names = list(self.shapes)
        return names[max(0, len(names) - 1 - int(self.rng.geometric(0.4)) + 1)]

    def add(self, op: str, inputs: list[str], shape: tuple[int, ...], **attributes: object) -> str:
        """Add a node; return the name of its output."""
        made = self.name()
        name = f"n{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, inputs, [made], name=name, **attributes))
        self.shapes[made] = shape
        self.unread = [n for n in self.unread if n not in inputs] + [made]
        return made


def noop_graph(rng: Rng, *, transposes: bool) -> onnx.ModelProto:
    """Return a graph of a few nodes, most of which do nothing.

    In half of the graphs all sides are equal, so that a wrong order of axes does not show in
    shapes.
    """
    draft = Draft(rng)
    sides = [int(rng.choice(SIDES))] * 4 if rng.random() < 0.5 else rng.permutation(SIDES)
    for _ in range(int(rng.integers(1, 3))):
        name = draft.name()
        draft.shapes[name] = tuple(map(int, sides[: rng.integers(2, 5)]))
        draft.inputs.append(name)
    shares = WITH_TRANSPOSES if transposes else WITHOUT_TRANSPOSES
    for _ in range(int(rng.integers(2, 13))):
        _draw(draft, str(rng.choice(list(shares), p=list(shares.values()))))
    return _finished(draft)


def _draw(draft: Draft, kind: str) -> None:
    rng, x = draft.rng, draft.pick()
    shape = draft.shapes[x]
    if kind == "transpose":
        _transpose(draft, x, tuple(map(int, rng.permutation(len(shape)))))
    elif kind == "back":
        axes = tuple(map(int, rng.permutation(len(shape))))
        inverse = tuple(int(axes.index(i)) for i in range(len(axes)))
        _transpose(draft, _transpose(draft, x, axes), inverse)
    elif kind == "identity":
        draft.add("Identity", [x], shape)
    elif kind == "dropout":
        _dropout(draft, x)
    else:
        _compute(draft, x)


def _transpose(draft: Draft, x: str, axes: tuple[int, ...]) -> str:
    shape = draft.shapes[x]
    if draft.rng.random() < 0.15:
        return draft.add("Transpose", [x], shape[::-1])
    return draft.add("Transpose", [x], tuple(shape[a] for a in axes), perm=axes)


def _dropout(draft: Draft, x: str) -> None:
    """Add a Dropout with no training mode, or one that is off, or one that is on, which stays."""
    mode = draft.rng.choice(["", "off", "on"], p=[0.5, 0.3, 0.2])
    inputs = [x, "share", mode] if mode else [x, *(["share"] if draft.rng.random() < 0.5 else [])]
    made = draft.add("Dropout", inputs, draft.shapes[x])
    chance = draft.rng.random()
    if chance < 0.3:
        mask = draft.name()
        draft.nodes[-1].output.append(mask)
        if chance < 0.15:
            draft.shapes[mask] = draft.shapes[x]
            seen = draft.add("Cast", [mask], draft.shapes[x], to=TensorProto.FLOAT)
            draft.add("Add", [seen, made], draft.shapes[x])
            del draft.shapes[mask]


def _compute(draft: Draft, x: str) -> None:
    rng, shape = draft.rng, draft.shapes[x]
    same = [name for name, other in draft.shapes.items() if other == shape]
    kind = int(rng.integers(5))
    if kind == 0:
        draft.add(str(rng.choice(["Tanh", "Sigmoid", "Neg"])), [x], shape)
    elif kind == 1:
        draft.add("Softmax", [x], shape, axis=int(rng.integers(len(shape))))
    elif kind == 2:
        axis = int(rng.integers(len(shape)))
        joined = (*shape[:axis], 2 * shape[axis], *shape[axis + 1 :])
        draft.add("Concat", [x, same[rng.integers(len(same))]], joined, axis=axis)
    elif kind == 3:
        _decide(draft, x, same[rng.integers(len(same))])
    else:
        draft.add(str(rng.choice(["Add", "Max"])), [x, same[rng.integers(len(same))]], shape)


def _decide(draft: Draft, x: str, other: str) -> None:
    """Add an If with a tensor of the graph around it in each of its branches."""
    branches = {
        name: _branch(draft, op, read)
        for name, op, read in (("then_branch", "Tanh", x), ("else_branch", "Neg", other))
    }
    draft.add("If", [str(draft.rng.choice(["on", "off"]))], draft.shapes[x], **branches)
    draft.unread = [name for name in draft.unread if name not in (x, other)]


def _branch(draft: Draft, op: str, read: str) -> onnx.GraphProto:
    end = f"{draft.name()}_inside"
    shape = helper.make_tensor_value_info(end, TensorProto.FLOAT, draft.shapes[read])
    return helper.make_graph([helper.make_node(op, [read], [end])], end, [], [shape])


def _finished(draft: Draft) -> onnx.ModelProto:
    """Make outputs of all unread computing nodes, and of some others; the rest stays unread."""
    rng = draft.rng
    computing = {n.output[0] for n in draft.nodes if n.op_type not in PASSED_ON}
    made = [name for name in draft.shapes if name not in draft.inputs]
    shown = [n for n in draft.unread if n in computing or rng.random() < 0.7]
    shown += [n for n in made if n not in shown and rng.random() < 0.15]
    if not shown:
        shown = [made[-1]]
    shown = [shown[i] for i in rng.permutation(len(shown))]
    stored = [
        numpy_helper.from_array(np.array(0.0, np.float32), "share"),
        numpy_helper.from_array(np.array(False), "off"),
        numpy_helper.from_array(np.array(True), "on"),
    ]
    inputs, outputs = (
        [helper.make_tensor_value_info(n, TensorProto.FLOAT, draft.shapes[n]) for n in names]
        for names in (draft.inputs, shown)
    )
    graph = helper.make_graph(draft.nodes, "small", inputs, outputs, stored)
    opset = helper.make_opsetid("", OPSET)
    model = helper.make_model(graph, opset_imports=[opset], ir_version=IR_VERSION)
    onnx.checker.check_model(model, full_check=True)
    return model


# --- reading what was made ------------------------------------------------------------------------


def mismatch(source: onnx.ModelProto, made: onnx.ModelProto) -> str | None:
    """Return a message fragment, or None if everything is right."""
    return next(_mismatches(source, made), None)


def mismatch_of_another(made: onnx.ModelProto, again: onnx.ModelProto) -> str | None:
    """Return a message if rewriting a rewritten model changes more than names, else None."""
    if _unnamed(made.graph) == _unnamed(again.graph):
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
        copy = onnx.NodeProto.FromString(node.SerializeToString())
        for name in node.output:
            numbers[name] = name if name in shown else f"#{len(numbers)}"
        for each in (copy, *nodes_inside(copy)):
            each.input[:] = [numbers.get(name, name) for name in each.input]
        copy.output[:] = [numbers[name] for name in node.output]
        if copy.op_type in PASSED_ON:
            copy.name = ""
        nodes.append(copy)
    return nodes


def fewest_nodes(model: onnx.ModelProto) -> int:
    """Return the fewest nodes of an equivalent graph.

    These are the computing nodes, one Transpose for each needed tensor in other axes, and one node
    for each graph output that none of these produces.
    """
    graph = model.graph
    origins = _origins(model)
    computing = _computing(model)
    made = {name for node in computing for name in node.output if name}
    outputs = [origins.get(value.name, (value.name, ())) for value in graph.output]
    readers = [inner for node in computing for inner in (node, *nodes_inside(node))]
    needed = {origins[name] for node in readers for name in node.input if name in origins}
    transposed = {wanted for wanted in (*needed, *outputs) if wanted[1]}
    named: set[Wanted] = set()
    copies = 0
    for wanted in outputs:
        root, axes = wanted
        free = wanted not in named and (axes or root in made)
        copies += not free
        named.add(wanted)
    return len(computing) + len(transposed) + copies


def _mismatches(source: onnx.ModelProto, made: onnx.ModelProto) -> Iterator[str]:
    yield from unsound(source, made)
    if _described(_computing(source)) != _described(_computing(made)):
        yield "the nodes that compute something should all be there, as they were"
    count, fewest = len(made.graph.node), fewest_nodes(source)
    if count != fewest:
        before = len(source.graph.node)
        yield f"of {before} nodes {count} are left, and {fewest} would do ({_counted(made)})"


def _counted(model: onnx.ModelProto) -> str:
    counts = Counter(node.op_type for node in model.graph.node)
    return ", ".join(f"{count} {op}" for op, count in sorted(counts.items()))[:100]


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
    ranks = _ranks(model)
    origins: dict[str, Wanted] = {}
    for node in model.graph.node:
        if not _passes_on(model.graph, node):
            continue
        source, made = node.input[0], node.output[0]
        root, axes = origins.get(source, (source, ()))
        order = np.array(axes or range(ranks[source]))
        if node.op_type == "Transpose":
            given = [list(a.ints) for a in node.attribute if a.name == "perm"]
            order = order[given[0]] if given else order[::-1]
        plain = bool(np.all(order == np.arange(len(order))))
        origins[made] = root, () if plain else tuple(map(int, order))
    return origins


def _ranks(model: onnx.ModelProto) -> dict[str, int]:
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    values = (*graph.input, *graph.value_info, *graph.output)
    return {value.name: len(value.type.tensor_type.shape.dim) for value in values}
