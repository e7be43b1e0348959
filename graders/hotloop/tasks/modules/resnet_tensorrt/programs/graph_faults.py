"""Faults in exported models, and harmless changes that exporters make.

A fault changes a copy of the model in one place, and returns whether it found a suitable place.
All but one keep the shapes. Disguises change no value beyond rounding: names of nodes, their order,
a normalization written as a product and a sum, an additional Identity, slightly rounded weights.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar

import graph_values
import numpy as np
import onnx
from graph_nets import Rng, classifier, pixels
from numpy.typing import NDArray
from onnx import helper, numpy_helper

TOLERANCE = 1e-3
"""A tensor differs if its largest error exceeds this share of its largest value."""

CLEAR = 10.0
"""The first difference is this many times above the tolerance, and all before it as far below."""

Message = TypeVar("Message", onnx.ModelProto, onnx.NodeProto)

Fault = Callable[[onnx.GraphProto, Rng], bool]


def epsilon(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Change one normalization's epsilon."""
    node = _one_of(graph, rng, "BatchNormalization")
    if node is None:
        return False
    _attribute(node, "epsilon").f *= 30
    return True


def transposed_kernel(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Swap rows and columns of one kernel."""
    node = _one_of(graph, rng, "Conv", lambda n: _attribute(n, "kernel_shape").ints[0] > 1)
    if node is None:
        return False
    _change(graph, node.input[1], lambda values: values.swapaxes(2, 3))
    return True


def transposed_matrix(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Do not transpose a square matrix that should be."""
    weights = {tensor.name: tensor for tensor in graph.initializer}
    square = _one_of(graph, rng, "Gemm", lambda n: len({*weights[n.input[1]].dims}) == 1)
    if square is None:
        return False
    _attribute(square, "transB").i = 0
    return True


def swapped_weights(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Swap the weights of two convolutions of the same shape."""
    dims = {tensor.name: tuple(tensor.dims) for tensor in graph.initializer}
    convs = [node for node in graph.node if node.op_type == "Conv"]
    pairs = [
        (a, b)
        for i, a in enumerate(convs)
        for b in convs[i + 1 :]
        if dims[a.input[1]] == dims[b.input[1]]
    ]
    if not pairs:
        return False
    one, other = pairs[int(rng.integers(len(pairs)))]
    one.input[1], other.input[1] = other.input[1], one.input[1]
    return True


def shifted_padding(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Move all padding to one side; the shape stays."""
    node = _one_of(graph, rng, "Conv", lambda n: any(_attribute(n, "pads").ints))
    if node is None:
        return False
    pads = _attribute(node, "pads").ints
    pads[0], pads[1], pads[2], pads[3] = pads[0] + pads[2], pads[1] + pads[3], 0, 0
    return True


def widened_kernel(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Add a dilation, with padding that keeps the shape."""
    node = _one_of(graph, rng, "Conv", lambda n: _attribute(n, "kernel_shape").ints[0] == 3)
    if node is None:
        return False
    node.attribute.append(helper.make_attribute("dilations", [2, 2]))
    _attribute(node, "pads").ints[:] = [2, 2, 2, 2]
    return True


def dropped_relu(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Drop a Relu; the tensor before it gets its name, or keeps its own."""
    node = _one_of(graph, rng, "Relu")
    if node is None:
        return False
    before, after = node.input[0], node.output[0]
    old, new = (before, after) if rng.random() < 0.5 else (after, before)
    graph.node.remove(node)
    for other in graph.node:
        other.input[:] = [new if name == old else name for name in other.input]
        other.output[:] = [new if name == old else name for name in other.output]
    return True


def wrong_axis(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Apply softmax over the batch instead of the classes."""
    node = _one_of(graph, rng, "Softmax")
    if node is None:
        return False
    _attribute(node, "axis").i = 0
    return True


def swapped_operands(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Swap the operands of a difference, a quotient or a concatenation."""
    node = _one_of(graph, rng, *rng.permutation(["Sub", "Div", "Concat"])[:1])
    if node is None:
        return False
    node.input[0], node.input[1] = node.input[1], node.input[0]
    return True


def swapped_statistics(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Swap mean and shift of one normalization (inputs 2 and 3)."""
    node = _one_of(graph, rng, "BatchNormalization")
    if node is None:
        return False
    node.input[2], node.input[3] = node.input[3], node.input[2]
    return True


def another_shape(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Give a tensor a leading dimension of 1, which is removed before other operators read it.

    All values are equal, even if the two shapes are broadcast.
    """
    node = _one_of(graph, rng, "Relu")
    if node is None:
        return False
    name = node.output[0]
    plain, again, axes = f"{name}_plain", f"{name}_again", f"{name}_axes"
    node.output[0] = plain
    for other in graph.node:
        other.input[:] = [again if given == name else given for given in other.input]
    graph.initializer.append(numpy_helper.from_array(np.array([0], np.int64), axes))
    place = list(graph.node).index(node) + 1
    graph.node.insert(place, helper.make_node("Squeeze", [name, axes], [again]))
    graph.node.insert(place, helper.make_node("Unsqueeze", [plain, axes], [name]))
    return True


FAULTS: Mapping[str, Fault] = {
    fault.__name__: fault
    for fault in (
        epsilon,
        transposed_kernel,
        transposed_matrix,
        swapped_weights,
        shifted_padding,
        widened_kernel,
        dropped_relu,
        wrong_axis,
        swapped_operands,
        swapped_statistics,
        another_shape,
    )
}


@dataclass(frozen=True)
class Pair:
    """Two models, inputs for them, and the first tensor that differs; None if all agree."""

    reference: onnx.ModelProto
    exported: onnx.ModelProto
    feeds: dict[str, NDArray[np.float32]]
    first: str | None


def faulty_pair(rng: Rng, fault: str) -> Pair:
    """Return a pair with one fault, drawn again until the first differing tensor is clear.

    Another tensor differs the most, so that it cannot be mistaken for the first. Swapped weights
    are on two branches whose order differs in the exported model. Raises RuntimeError after 200
    draws.
    """
    for _ in range(200):
        reference = classifier(rng)
        exported = _copy(reference)
        if not FAULTS[fault](exported.graph, rng):
            continue
        disguise(exported, rng)
        feeds = pixels(reference, rng)
        found = departures(reference, exported, feeds)
        first = clear_first(found)
        if first is None or (fault == "swapped_weights" and not _another_order(exported, found)):
            continue
        return Pair(reference, exported, feeds, first)
    raise RuntimeError(f"no pair of models shows {fault} clearly")


def _another_order(exported: onnx.ModelProto, found: Mapping[str, float]) -> bool:
    """Whether the exported model's order of nodes makes another tensor the first that differs."""
    departing = [name for name, error in found.items() if error > TOLERANCE]
    order = graph_values.every_output(exported)
    return departing[0] != min(departing, key=order.index)


def equal_pair(rng: Rng) -> Pair:
    """Return a pair that is only disguised. One tensor is all zeros, which counts as equal.

    Raises RuntimeError after 200 draws.
    """
    for _ in range(200):
        reference = classifier(rng)
        if not _silence(reference.graph, rng):
            continue
        exported = _copy(reference)
        disguise(exported, rng)
        feeds = pixels(reference, rng)
        if max(departures(reference, exported, feeds).values()) <= TOLERANCE / CLEAR:
            return Pair(reference, exported, feeds, None)
    raise RuntimeError("no pair of models agrees with a tensor of zeros in it")


def _silence(graph: onnx.GraphProto, rng: Rng) -> bool:
    """Make a normalization output −1 everywhere, so that the following Relu gives 0.

    Returns False if no normalization precedes a Relu.
    """
    before = {node.input[0] for node in graph.node if node.op_type == "Relu"}
    norm = _one_of(graph, rng, "BatchNormalization", lambda n: n.output[0] in before)
    if norm is None:
        return False
    _change(graph, norm.input[1], np.zeros_like)
    _change(graph, norm.input[2], lambda values: np.full_like(values, -1.0))
    return True


def departures(
    reference: onnx.ModelProto, exported: onnx.ModelProto, feeds: Mapping[str, NDArray[np.generic]]
) -> dict[str, float]:
    """Return largest error over largest value of each tensor in both, in the reference's order.

    Infinite if shapes differ, or if only the reference is all zeros.
    """
    there = set(graph_values.every_output(exported))
    names = [name for name in graph_values.every_output(reference) if name in there]
    want = graph_values.in_float32(reference, feeds, names)
    got = graph_values.in_float32(exported, feeds, names)
    return {name: _departure(want[name], got[name]) for name in names}


def _departure(want: NDArray[np.generic], got: NDArray[np.generic]) -> float:
    if want.shape != got.shape:
        return np.inf
    error, largest = float(np.abs(got - want).max()), float(np.abs(want).max())
    if error == 0:
        return 0.0
    # By chance a Relu outputs only zeros: any other value in the other model differs.
    return error / largest if largest else np.inf


def clear_first(found: Mapping[str, float]) -> str | None:
    """Return the first differing tensor if it is unmistakable, else None.

    It must not be the one with the largest error, unless it is the last or has another shape.
    """
    first = next((name for name, error in found.items() if error > TOLERANCE / CLEAR), None)
    if first is None or found[first] < CLEAR * TOLERANCE:
        return None
    only = first == list(found)[-1] or np.isinf(found[first])
    return first if only or max(found.values()) > 1.05 * found[first] else None


def disguise(model: onnx.ModelProto, rng: Rng) -> None:
    """Change, in place, what an exporter may change without doing harm."""
    _round_weights(model.graph, rng)
    if rng.random() < 0.6:
        _spell_out(model.graph, rng)
    if rng.random() < 0.6:
        _insert_identity(model.graph, rng)
    _reorder(model.graph, rng)
    for number, node in enumerate(model.graph.node):
        node.name = f"/{node.op_type}/{number}"
    onnx.checker.check_model(model, full_check=True)


def _round_weights(graph: onnx.GraphProto, rng: Rng) -> None:
    """Perturb weights as if rounded to about 20 bits, so that no tensor is bitwise equal."""
    for tensor in graph.initializer:
        if tensor.data_type != onnx.TensorProto.FLOAT:
            continue
        _change(graph, tensor.name, lambda v: v * (1 + rng.uniform(-1e-6, 1e-6, v.shape)))


def _spell_out(graph: onnx.GraphProto, rng: Rng) -> None:
    """Replace a normalization by a product and a sum."""
    norm = _one_of(graph, rng, "BatchNormalization")
    if norm is None:
        return
    stored = {t.name: numpy_helper.to_array(t).astype(np.float64) for t in graph.initializer}
    scale, shift, mean, variance = (stored[name] for name in norm.input[1:])
    factor = scale / np.sqrt(variance + _attribute(norm, "epsilon").f)
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
    copies = [_copy(node) for node in ordered]
    del graph.node[:]
    graph.node.extend(copies)


def _one_of(
    graph: onnx.GraphProto,
    rng: Rng,
    op: str,
    fits: Callable[[onnx.NodeProto], bool] = lambda _node: True,
) -> onnx.NodeProto | None:
    nodes = [node for node in graph.node if node.op_type == op and fits(node)]
    return nodes[int(rng.integers(len(nodes)))] if nodes else None


def _attribute(node: onnx.NodeProto, name: str) -> onnx.AttributeProto:
    return next(attribute for attribute in node.attribute if attribute.name == name)


def _change(
    graph: onnx.GraphProto,
    name: str,
    change: Callable[[NDArray[np.generic]], NDArray[np.generic]],
) -> None:
    (tensor,) = (t for t in graph.initializer if t.name == name)
    values = np.ascontiguousarray(change(numpy_helper.to_array(tensor)).astype(np.float32))
    tensor.CopyFrom(numpy_helper.from_array(values, name))


def _copy(message: Message) -> Message:
    copied = type(message)()
    copied.CopyFrom(message)
    return copied
