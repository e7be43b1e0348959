"""Networks that contain everything that is easily misread in a graph, and their true figures.

The batch is symbolic. The figures come from running the graph and measuring its actual tensors, not
from shape inference, and from definitions that are followed literally and slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnx
from graph_nets import Builder, Rng
from numpy.typing import NDArray
from onnx import TensorProto, numpy_helper
from onnx.reference import ReferenceEvaluator

CHANNELS, SIDE = 6, 8
CHANGES = ("Sqrt", "Abs", "Exp")
"""Unary operators, used on constants, where they can be folded, and on activations."""


Motif = Callable[[Builder, str], str]
Arrays = Mapping[str, NDArray[np.generic]]


def puzzling(rng: Rng) -> onnx.ModelProto:
    """Return a network with each motif once, in random order, then a dense head."""
    net = Builder(rng)
    side = SIDE + 2 * int(rng.integers(3))
    x = net.input("pixels", ("batch", CHANNELS, side, side))
    for place in rng.permutation(len(MOTIFS)):
        x = MOTIFS[place](net, x)
    _spare(net)
    net.outputs.append(_head(net, x))
    return _without_hints(net.model(), rng)


def _without_hints(model: onnx.ModelProto, rng: Rng) -> onnx.ModelProto:
    """Rename and reorder the initializers, so that names and order reveal nothing."""
    graph = model.graph
    order = rng.permutation(len(graph.initializer))
    stored = [graph.initializer[int(place)] for place in order]
    names = {tensor.name: f"weight_{number}" for number, tensor in enumerate(stored)}
    for tensor in stored:
        tensor.name = names[tensor.name]
    for node in graph.node:
        node.input[:] = [names.get(name, name) for name in node.input]
    shuffled = [onnx.TensorProto.FromString(tensor.SerializeToString()) for tensor in stored]
    del graph.initializer[:]
    graph.initializer.extend(shuffled)
    onnx.checker.check_model(model, full_check=True)
    return model


def figures(
    model: onnx.ModelProto, batch: int, activation: str, outside: str | int, consumers: str | int
) -> dict[str, object]:
    """Return the right answer of `read_graph`.

    activation: the operator at a chain's end. outside, consumers: what to report for a Conv that
    begins no chain because it is an output of the graph, or because it has other readers.
    """
    values = _values(model, batch)
    fusible, blocked = _chains(model.graph, ("BatchNormalization", activation))
    reasons = {True: outside, False: consumers}
    read = {name for node in model.graph.node for name in node.input}
    shown = {value.name for value in model.graph.output}
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    return {
        "fusible": fusible,
        "blocked": {name: reasons[shown] for name, shown in blocked.items()},
        "foldable": _foldable(model.graph),
        "unused": [name for name in stored if name not in read | shown],
        "parameter_bytes": sum(v.nbytes for name, v in stored.items() if name in read),
        "macs": sum(_macs(node, values) for node in model.graph.node),
        "peak_bytes": _peak_bytes(model.graph, values),
    }


# --- motifs ---------------------------------------------------------------------------------------


def _whole_chain(net: Builder, x: str) -> str:
    return net.conv_bn_relu(x, CHANNELS, int(net.rng.choice([1, 3])))


def _grouped_chain(net: Builder, x: str) -> str:
    groups = int(net.rng.choice([2, 3, CHANNELS]))
    return net.relu(net.batchnorm(net.conv(x, CHANNELS, groups=groups)))


def _without_normalization(net: Builder, x: str) -> str:
    return net.relu(net.conv(x, CHANNELS, bias=True))


def _without_relu(net: Builder, x: str) -> str:
    return net.node("Sigmoid", [net.batchnorm(net.conv(x, CHANNELS))])


def _read_twice(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS, 1)
    return net.node("Add", [net.relu(net.batchnorm(y)), y])


def _two_activations(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS)
    return net.node("Mul", [net.relu(y), net.node("Sigmoid", [y])])


def _shown_outside(net: Builder, x: str) -> str:
    y = net.conv(x, CHANNELS, 1)
    net.outputs.append(y)
    return net.relu(net.batchnorm(y))


def _normalized_read_twice(net: Builder, x: str) -> str:
    y = net.batchnorm(net.conv(x, CHANNELS))
    return net.node("Add", [net.relu(y), y])


def _normalized_shown_outside(net: Builder, x: str) -> str:
    y = net.batchnorm(net.conv(x, CHANNELS, 1))
    net.outputs.append(y)
    return net.relu(y)


def _before_the_convolution(net: Builder, x: str) -> str:
    return net.node("Tanh", [net.conv(net.relu(net.batchnorm(x)), CHANNELS)])


def _computed_weight(net: Builder, x: str) -> str:
    shape = (CHANNELS, CHANNELS, 1, 1)
    base = net.weight(net.rng.normal(0, 0.5, shape), "base")
    gain = net.weight(net.rng.uniform(0.5, 1.5, (CHANNELS, 1, 1, 1)), "gain")
    return net.relu(net.conv(x, CHANNELS, 1, weight=net.node("Mul", [base, gain])))


def _constants_in_a_row(net: Builder, x: str) -> str:
    """A Constant, an operator that activations also go through, and a product with a weight."""
    values = net.rng.uniform(1, 4, (1, CHANNELS, 1, 1)).astype(np.float32)
    constant = net.node("Constant", [], value=numpy_helper.from_array(values))
    changed = net.node(str(net.rng.choice(CHANGES)), [constant])
    return net.node("Div", [x, net.node("Mul", [_gain(net), changed])])


def _product_of_stored(net: Builder, x: str) -> str:
    """A product of two stored tensors, which is constant, times the activation."""
    return _scaled(net, net.node("Mul", [_gain(net), _gain(net)]), x)


def _stored_first(net: Builder, x: str) -> str:
    """A product whose first operand is stored, where others have the activation."""
    return _scaled(net, _gain(net), x)


def _gain(net: Builder) -> str:
    return net.weight(net.rng.uniform(0.5, 1.5, (1, CHANNELS, 1, 1)), "gain")


def _scaled(net: Builder, gain: str, x: str) -> str:
    made = net.node("Mul", [gain, x])
    net.channels[made] = CHANNELS
    return made


def _changed_activations(net: Builder, x: str) -> str:
    """Operators that also occur on constants; one of them is applied to a stored tensor here."""
    positive = net.node("Sigmoid", [x])
    for kind in CHANGES:
        positive = net.node(kind, [positive])
    shift = net.node(str(net.rng.choice(CHANGES)), [net.weight(np.full((1, 1, 1, 1), 0.5), "s")])
    return net.node("Sub", [positive, shift])


def _channels_last_and_back(net: Builder, x: str) -> str:
    last = net.node("Transpose", [x], perm=[0, 2, 3, 1])
    return net.node("Transpose", [net.relu(last)], perm=[0, 3, 1, 2])


def _half_precision(net: Builder, x: str) -> str:
    half = net.node("Cast", [x], to=TensorProto.FLOAT16)
    return net.node("Cast", [net.relu(half)], to=TensorProto.FLOAT)


def _long_way_round(net: Builder, x: str) -> str:
    """A tensor that stays live while a wider branch is computed."""
    wide = net.conv_bn_relu(x, 3 * CHANNELS, 1)
    return net.node("Add", [net.conv(wide, CHANNELS, 1), x])


MOTIFS: tuple[Motif, ...] = (
    _whole_chain,
    _grouped_chain,
    _without_normalization,
    _without_relu,
    _read_twice,
    _two_activations,
    _shown_outside,
    _normalized_read_twice,
    _normalized_shown_outside,
    _before_the_convolution,
    _computed_weight,
    _constants_in_a_row,
    _product_of_stored,
    _stored_first,
    _changed_activations,
    _channels_last_and_back,
    _half_precision,
    _long_way_round,
)


def _spare(net: Builder) -> None:
    """Add initializers that no node reads, of up to three types."""
    net.weight(net.rng.normal(0, 1, (5, 7)), "spare")
    net.weight(np.arange(3, dtype=np.int64), "spare")
    if net.rng.random() < 0.5:
        net.weight(net.rng.normal(0, 1, 9).astype(np.float16), "spare")


def _head(net: Builder, x: str) -> str:
    """Reshape [batch, channels, h, w] to rows; the shape is computed from the symbolic batch."""
    pooled = net.node("GlobalAveragePool", [x])
    first = net.weight(np.array([0], np.int64), "first")
    batch = net.node("Gather", [net.node("Shape", [pooled]), first], axis=0)
    rest = net.weight(np.array([CHANNELS], np.int64), "rest")
    rows = net.node("Reshape", [pooled, net.node("Concat", [batch, rest], axis=0)])
    stored = net.weight(net.rng.normal(0, 0.4, (10, CHANNELS)), "table")
    y = net.node("MatMul", [rows, net.node("Transpose", [stored], perm=[1, 0])])
    return net.dense(y, 10, 4)


# --- truth ----------------------------------------------------------------------------------------


def _values(model: onnx.ModelProto, batch: int) -> Arrays:
    """Return every tensor, by running the graph on zeros; initializers too."""
    names = [name for node in model.graph.node for name in node.output if name]
    shown = onnx.ModelProto()
    shown.CopyFrom(model)
    del shown.graph.output[:]
    shown.graph.output.extend(onnx.ValueInfoProto(name=name) for name in names)
    feeds: dict[str, NDArray[np.generic]] = {}
    for value in model.graph.input:
        dims = value.type.tensor_type.shape.dim
        feeds[value.name] = np.zeros([dim.dim_value or batch for dim in dims], np.float32)
    made = ReferenceEvaluator(shown).run(None, dict(feeds))
    stored = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    return {**stored, **feeds, **dict(zip(names, made, strict=True))}


def _chains(
    graph: onnx.GraphProto, kinds: tuple[str, str]
) -> tuple[list[list[str]], dict[str, bool]]:
    """Return the chains, and for each Conv that begins none, whether it is a graph output."""
    fusible: list[list[str]] = []
    blocked: dict[str, bool] = {}
    for conv in graph.node:
        if conv.op_type != "Conv":
            continue
        chain = _chain(graph, conv, kinds)
        if len(chain) > 1:
            fusible.append(chain)
            continue
        wishes = [n for n in graph.node if conv.output[0] in n.input]
        if set(kinds).isdisjoint(n.op_type for n in wishes):
            continue
        blocked[conv.name] = any(value.name == conv.output[0] for value in graph.output)
    return fusible, blocked


def _chain(graph: onnx.GraphProto, conv: onnx.NodeProto, kinds: tuple[str, str]) -> list[str]:
    chain, end, wanted = [conv.name], conv.output[0], list(kinds)
    while wanted:
        readers = [n for n in graph.node for name in n.input if name == end]
        outside = any(value.name == end for value in graph.output)
        if len(readers) != 1 or outside or readers[0].op_type not in wanted:
            break
        wanted = wanted[wanted.index(readers[0].op_type) + 1 :]
        chain.append(readers[0].name)
        end = readers[0].output[0]
    return chain


def _foldable(graph: onnx.GraphProto) -> list[str]:
    """Return the names of the nodes that depend on no input of the graph."""
    unknown = {value.name for value in graph.input}
    names: list[str] = []
    for node in graph.node:
        if unknown.isdisjoint(node.input):
            names.append(node.name)
        else:
            unknown.update(node.output)
    return names


def _macs(node: onnx.NodeProto, values: Arrays) -> int:
    if node.op_type == "Conv":
        _, *window = values[node.input[1]].shape
        return values[node.output[0]].size * int(np.prod(window))
    if node.op_type not in {"MatMul", "Gemm"}:
        return 0
    transposed = any(a.name == "transB" and a.i for a in node.attribute)
    length = values[node.input[1]].shape[-1 if transposed else -2]
    return values[node.output[0]].size * length


def _peak_bytes(graph: onnx.GraphProto, values: Arrays) -> int:
    """Return the peak of live bytes over all nodes, from each tensor's first to its last use."""
    count = len(graph.node)
    born = {value.name: 0 for value in graph.input}
    died = {value.name: count for value in graph.output}
    for step, node in enumerate(graph.node):
        born.update((name, step) for name in node.output if name)
    for name, birth in born.items():
        reads = [step for step, node in enumerate(graph.node) if name in node.input]
        died.setdefault(name, max(reads, default=birth))
    alive = [[n for n in born if born[n] <= step <= died[n]] for step in range(count)]
    return max(sum(values[name].nbytes for name in names) for names in alive)
