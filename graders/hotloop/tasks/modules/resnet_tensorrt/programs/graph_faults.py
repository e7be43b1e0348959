"""Faults in exported models, and harmless changes that exporters make.

A fault changes a copy of the model in one place; where it changes no value, the models are drawn
again. All but one keep the shapes. Disguises change no value beyond rounding: names of nodes, their
order, a normalization written as a product and a sum, an additional Identity, slightly rounded
weights.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import helper, numpy_helper
from onnx_builder import Builder, Rng
from onnx_motifs import grow
from onnx_rewrites import feeds_for
from onnx_values import every_output, in_float32

TOLERANCE = 1e-3
"""A tensor differs if its largest error exceeds this share of its largest value."""

CLEAR = 10.0
"""The first difference is this many times above the tolerance, and all before it as far below."""

DRAWS = 500
CHAIN = "a = Conv(x); b = BatchNormalization(a); y = Relu(b)"
POOL = "y = MaxPool<kernel_shape=[3, 3], strides=[2, 2], pads=[1, 1, 1, 1]>(x)"
BOTTLENECK = (
    "a = Conv<channels=4, kernel_shape=[1, 1]>(x); b = BatchNormalization(a); c = Relu(b);"
    "d = Conv<kernel_shape=[3, 3], strides=[{stride}, {stride}]>(c); e = BatchNormalization(d);"
    "f = Relu(e); g = Conv<channels=8, kernel_shape=[1, 1]>(f); h = BatchNormalization(g);"
)
SHORTCUT = "i = Add(h, x); y = Relu(i)"
PROJECTION = (
    "p = Conv<kernel_shape=[1, 1], strides=[2, 2]>(x); q = BatchNormalization(p);"
    "i = Add(h, q); y = Relu(i)"
)


def classifier(rng: Rng) -> onnx.ModelProto:
    """Return a network from pixels to class shares: stem, bottlenecks, two branches, dense head."""
    net = Builder(rng)
    x = grow(net, "a = Sub(x, mean); y = Div(a, gain)", net.input("pixels", (2, 3, 12, 12)))
    x = grow(net, CHAIN.replace("Conv", "Conv<channels=8, kernel_shape=[3, 3]>"), x)
    if rng.random() < 0.5:
        x = grow(net, POOL, x)
    for stride in rng.integers(1, 3, int(rng.integers(1, 3))):
        shortcut = SHORTCUT if stride == 1 else PROJECTION
        x = grow(net, BOTTLENECK.format(stride=stride) + shortcut, x)
    square = CHAIN.replace("Conv", "Conv<kernel_shape=[3, 3]>")
    x = net.node("Concat", [grow(net, square, x), grow(net, square, x)], axis=1)
    x = grow(net, "a = GlobalAveragePool(x); y = Flatten<axis=1>(a)", x)
    x = net.dense(net.node("Relu", [net.dense(x, 16)]), 5)
    net.outputs.append(net.node("Softmax", [x], axis=1))
    return net.model()


# --- faults ---------------------------------------------------------------------------------------


def _shifted_padding(_graph: onnx.GraphProto, node: onnx.NodeProto, _rng: Rng) -> None:
    up, left, down, right = helper.get_node_attr_value(node, "pads")
    _set(node, pads=[up + down, left + right, 0, 0])


def _widened_kernel(_graph: onnx.GraphProto, node: onnx.NodeProto, _rng: Rng) -> None:
    """Add a dilation, with padding that keeps the shape."""
    pads = helper.get_node_attr_value(node, "pads")
    _set(node, dilations=[2, 2], pads=[2 * pad for pad in pads])


def _swapped(node: onnx.NodeProto, one: int, other: int) -> None:
    node.input[one], node.input[other] = node.input[other], node.input[one]


def _transposed_matrix(graph: onnx.GraphProto, gemm: onnx.NodeProto, _rng: Rng) -> None:
    """Do not transpose a matrix that should be, if it is square."""
    if len({*_stored(graph, gemm.input[1]).dims}) == 1:
        _set(gemm, transB=0)


def _swapped_weights(graph: onnx.GraphProto, conv: onnx.NodeProto, rng: Rng) -> None:
    """Swap the weights of two convolutions of the same shape."""
    dims = _stored(graph, conv.input[1]).dims
    convs = [node for node in graph.node if node.op_type == "Conv"]
    alike = [node for node in convs if _stored(graph, node.input[1]).dims == dims]
    other = alike[int(rng.integers(len(alike)))]
    conv.input[1], other.input[1] = other.input[1], conv.input[1]


def _dropped_relu(graph: onnx.GraphProto, relu: onnx.NodeProto, rng: Rng) -> None:
    """Drop a Relu; the tensor before it gets its name, or keeps its own."""
    old, new = rng.permutation([relu.input[0], relu.output[0]]).tolist()
    graph.node.remove(relu)
    for other in graph.node:
        for names in (other.input, other.output):
            names[:] = [new if name == old else name for name in names]


def _another_shape(graph: onnx.GraphProto, relu: onnx.NodeProto, _rng: Rng) -> None:
    """Give a tensor a leading dimension of 1, which is removed before other operators read it.

    All values are equal, even if the two shapes are broadcast.
    """
    name = relu.output[0]
    plain, again, axes = f"{name}_plain", f"{name}_again", f"{name}_axes"
    relu.output[0] = plain
    for other in graph.node:
        other.input[:] = [again if read == name else read for read in other.input]
    graph.initializer.append(numpy_helper.from_array(np.array([0], np.int64), axes))
    place = list(graph.node).index(relu) + 1
    graph.node.insert(place, helper.make_node("Squeeze", [name, axes], [again]))
    graph.node.insert(place, helper.make_node("Unsqueeze", [plain, axes], [name]))


Change = Callable[[onnx.GraphProto, onnx.NodeProto, Rng], None]

FAULTS: Mapping[str, tuple[tuple[str, ...], Change]] = {
    "epsilon": (
        ("BatchNormalization",),
        lambda _graph, node, _rng: _set(
            node, epsilon=30 * helper.get_node_attr_value(node, "epsilon")
        ),
    ),
    "transposed_kernel": (
        ("Conv",),
        lambda graph, node, _rng: _change(graph, node.input[1], lambda v: v.swapaxes(2, 3)),
    ),
    "transposed_matrix": (("Gemm",), _transposed_matrix),
    "swapped_weights": (("Conv",), _swapped_weights),
    "shifted_padding": (("Conv",), _shifted_padding),
    "widened_kernel": (("Conv",), _widened_kernel),
    "dropped_relu": (("Relu",), _dropped_relu),
    "wrong_axis": (("Softmax",), lambda _graph, node, _rng: _set(node, axis=0)),
    "swapped_operands": (
        ("Sub", "Div", "Concat"),
        lambda _graph, node, _rng: _swapped(node, 0, 1),
    ),
    "swapped_statistics": (
        ("BatchNormalization",),
        lambda _graph, node, _rng: _swapped(node, 2, 3),
    ),
    "another_shape": (("Relu",), _another_shape),
}
"""What a fault changes of a node of one of these operators, by its name."""


# --- pairs ----------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Pair:
    """Two models, inputs for them, and the first tensor that differs; None if all agree."""

    reference: onnx.ModelProto
    exported: onnx.ModelProto
    feeds: dict[str, NDArray[np.float32]]
    first: str | None


def sampled_pair(rng: Rng, fault: str | None) -> Pair:
    """Return a pair with one fault, or a pair that is only disguised.

    With a fault, the pair is drawn again until the first differing tensor is clear. Another tensor
    differs the most, so that it cannot be mistaken for the first. Swapped weights are on two
    branches whose order differs in the exported model. Without, one tensor is all zeros, which
    counts as equal. Raises RuntimeError after DRAWS draws.
    """
    for _ in range(DRAWS):
        reference = classifier(rng)
        if fault is None:
            _zero_a_relu(reference.graph, rng)
        exported = copy.deepcopy(reference)
        if fault is not None:
            operators, change = FAULTS[fault]
            node = _one_of(exported.graph, rng, str(rng.choice(operators)))
            change(exported.graph, node, rng)
        disguise(exported, rng)
        feeds = feeds_for(reference, rng)
        errors = departures(reference, exported, feeds)
        first = clear_first(errors)
        if fault is None and max(errors.values()) <= TOLERANCE / CLEAR:
            return Pair(reference, exported, feeds, None)
        if fault is None or first is None:
            continue
        if fault != "swapped_weights" or _another_order(exported, errors):
            return Pair(reference, exported, feeds, first)
    raise RuntimeError(f"no pair of models shows {fault} clearly")


def _another_order(exported: onnx.ModelProto, errors: Mapping[str, float]) -> bool:
    """Whether the exported model's order of nodes makes another tensor the first that differs."""
    departing = [name for name, error in errors.items() if error > TOLERANCE]
    order = every_output(exported)
    return departing[0] != min(departing, key=order.index)


def _zero_a_relu(graph: onnx.GraphProto, rng: Rng) -> None:
    """Make a normalization output −1 everywhere, so that the following Relu gives 0."""
    before = {node.input[0] for node in graph.node if node.op_type == "Relu"}
    norm = _one_of(graph, rng, "BatchNormalization", lambda n: n.output[0] in before)
    _change(graph, norm.input[1], np.zeros_like)
    _change(graph, norm.input[2], lambda values: np.full_like(values, -1.0))


def departures(
    reference: onnx.ModelProto, exported: onnx.ModelProto, feeds: Mapping[str, NDArray[np.generic]]
) -> dict[str, float]:
    """Return largest error over largest value of each tensor in both, in the reference's order.

    Infinite if shapes differ, or if only the reference is all zeros.
    """
    there = set(every_output(exported))
    names = [name for name in every_output(reference) if name in there]
    want = in_float32(reference, feeds, names)
    got = in_float32(exported, feeds, names)
    return {name: _departure(want[name], got[name]) for name in names}


def _departure(want: NDArray[np.generic], got: NDArray[np.generic]) -> float:
    if want.shape != got.shape:
        return np.inf
    error, largest = float(np.abs(got - want).max()), float(np.abs(want).max())
    if error == 0:
        return 0.0
    # By chance a Relu outputs only zeros: any other value in the other model differs.
    return error / largest if largest else np.inf


def clear_first(errors: Mapping[str, float]) -> str | None:
    """Return the first differing tensor if it is unmistakable, else None.

    It must not be the one with the largest error, unless it is the last or has another shape.
    """
    first = next((name for name, error in errors.items() if error > TOLERANCE / CLEAR), None)
    if first is None or errors[first] < CLEAR * TOLERANCE:
        return None
    only = first == list(errors)[-1] or np.isinf(errors[first])
    return first if only or max(errors.values()) > 1.05 * errors[first] else None


def disguise(model: onnx.ModelProto, rng: Rng) -> None:
    """Change, in place, what an exporter may change without doing harm."""
    for tensor in model.graph.initializer:
        if tensor.data_type == onnx.TensorProto.FLOAT:
            # As if rounded to about 20 bits, so that no tensor is bitwise equal.
            _change(model.graph, tensor.name, lambda v: v * (1 + rng.uniform(-1e-6, 1e-6, v.shape)))
    if rng.random() < 0.6:
        _spell_out(model.graph, rng)
    if rng.random() < 0.6:
        _insert_identity(model.graph, rng)
    _reorder(model.graph, rng)
    for number, node in enumerate(model.graph.node):
        node.name = f"/{node.op_type}/{number}"
    onnx.checker.check_model(model, full_check=True)


def _spell_out(graph: onnx.GraphProto, rng: Rng) -> None:
    """Replace a normalization by a product and a sum."""
    norm = _one_of(graph, rng, "BatchNormalization")
    stored = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in graph.initializer}
    scale, shift, mean, variance = (stored[name] for name in norm.input[1:])
    factor = scale / np.sqrt(variance + helper.get_node_attr_value(norm, "epsilon"))
    names = [f"{norm.name}_factor", f"{norm.name}_rest", f"{norm.name}_scaled"]
    for name, values in zip(names, (factor, shift - mean * factor), strict=False):
        shaped = values.reshape(1, -1, 1, 1).astype(np.float32)
        graph.initializer.append(numpy_helper.from_array(shaped, name))
    place = list(graph.node).index(norm)
    product = helper.make_node("Mul", [norm.input[0], names[0]], [names[2]])
    total = helper.make_node("Add", [names[2], names[1]], [norm.output[0]])
    graph.node.remove(norm)
    graph.node.insert(place, total)
    graph.node.insert(place, product)


def _insert_identity(graph: onnx.GraphProto, rng: Rng) -> None:
    place = int(rng.integers(1, len(graph.node)))
    node = graph.node[place]
    passed = f"{node.input[0]}_passed"
    graph.node.insert(place, helper.make_node("Identity", [node.input[0]], [passed]))
    graph.node[place + 1].input[0] = passed


def _reorder(graph: onnx.GraphProto, rng: Rng) -> None:
    """Reorder the nodes; each still follows those whose outputs it reads."""
    waiting = list(graph.node)
    known = {t.name for t in graph.initializer} | {v.name for v in graph.input}
    ordered: list[onnx.NodeProto] = []
    while waiting:
        ready = [node for node in waiting if known.issuperset(node.input)]
        node = ready[int(rng.integers(len(ready)))]
        waiting.remove(node)
        known.update(node.output)
        ordered.append(node)
    copies = copy.deepcopy(ordered)
    del graph.node[:]
    graph.node.extend(copies)


def _one_of(
    graph: onnx.GraphProto,
    rng: Rng,
    op: str,
    fits: Callable[[onnx.NodeProto], bool] = lambda _node: True,
) -> onnx.NodeProto:
    """Return a random node of an operator. Raises ValueError if none fits."""
    nodes = [node for node in graph.node if node.op_type == op and fits(node)]
    return nodes[int(rng.integers(len(nodes)))]


def _set(node: onnx.NodeProto, **values: object) -> None:
    """Set attributes."""
    others = [attribute for attribute in node.attribute if attribute.name not in values]
    del node.attribute[:]
    node.attribute.extend([*others, *(helper.make_attribute(*item) for item in values.items())])


def _stored(graph: onnx.GraphProto, name: str) -> onnx.TensorProto:
    return next(tensor for tensor in graph.initializer if tensor.name == name)


def _change(
    graph: onnx.GraphProto,
    name: str,
    change: Callable[[NDArray[np.generic]], NDArray[np.generic]],
) -> None:
    tensor = _stored(graph, name)
    values = np.ascontiguousarray(change(numpy_helper.to_array(tensor)).astype(np.float32))
    tensor.CopyFrom(numpy_helper.from_array(values, name))
