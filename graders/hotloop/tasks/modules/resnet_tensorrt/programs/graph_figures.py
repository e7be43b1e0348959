"""Networks that contain everything that is easily misread in a graph, and their true figures.

The batch is symbolic. The figures come from running the graph and measuring its actual tensors, not
from shape inference, and from definitions that are followed literally and slowly.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import numpy_helper
from onnx_builder import Builder, Rng
from onnx_cost import peak_bytes
from onnx_motifs import grow
from onnx_values import on_zeros

CHANNELS, SIDE = 6, 8
CHANGES = ("Sqrt", "Abs", "Exp")
"""Unary operators, used on constants, where they can be folded, and on activations."""

MOTIFS = (
    "a = Conv(x); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv<group=2>(x); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv<group=6>(x); b = BatchNormalization(a); y = Relu(b)",
    "a = Conv(x, none, bias); y = Relu(a)",
    "a = Conv(x); b = BatchNormalization(a); y = Sigmoid(b)",
    # A convolution or a normalization that others read, too, or that is an output.
    "a = Conv(x); b = BatchNormalization(a); c = Relu(b); y = Add(c, a)",
    "a = Conv(x); b = Relu(a); c = Sigmoid(a); y = Mul(b, c)",
    "shown = Conv(x); b = BatchNormalization(shown); y = Relu(b)",
    "a = Conv(x); b = BatchNormalization(a); c = Relu(b); y = Add(c, b)",
    "a = Conv(x); shown = BatchNormalization(a); y = Relu(shown)",
    "a = BatchNormalization(x); b = Relu(a); c = Conv(b); y = Tanh(c)",
    # Constants: a computed weight, products of what is stored, an operator in both worlds.
    "w = Mul(kernel, factor); a = Conv(x, w); y = Relu(a)",
    (
        "a = Constant<value=float[1, 6, 1, 1] {1, 1.5, 2, 2.5, 3, 3.5}>(); b = {change}(a);"
        "c = Mul(gain, b); y = Div(x, c)"
    ),
    "a = Mul(gain_1, gain_2); y = Mul(a, x)",
    "y = Mul(gain, x)",
    "a = Sigmoid(x); b = Sqrt(a); c = Abs(b); d = Exp(c); e = {change}(half); y = Sub(d, e)",
    "a = Transpose<perm=[0, 2, 3, 1]>(x); b = Relu(a); y = Transpose<perm=[0, 3, 1, 2]>(b)",
    "a = Cast<to=10>(x); b = Relu(a); y = Cast<to=1>(b)",
    # A tensor that stays live while a wider branch is computed.
    (
        "a = Conv<channels=18>(x); b = BatchNormalization(a); c = Relu(b);"
        "d = Conv<channels=6>(c); y = Add(d, x)"
    ),
)


def puzzling(rng: Rng) -> onnx.ModelProto:
    """Return a network with each motif once, in random order, then a dense head."""
    net = Builder(rng, anonymous=True)
    side = SIDE + 2 * int(rng.integers(3))
    x = net.input("pixels", ("batch", CHANNELS, side, side))
    for place in rng.permutation(len(MOTIFS)):
        x = grow(net, MOTIFS[place].replace("{change}", str(rng.choice(CHANGES))), x)
    _spare(net)
    net.outputs.append(_head(net, x))
    return net.model()


def figures(
    model: onnx.ModelProto, batch: int, activation: str, outside: str | int, consumers: str | int
) -> dict[str, object]:
    """Return the right answer of `read_graph`.

    activation: the operator at a chain's end. outside, consumers: what to report for a Conv that
    begins no chain because it is an output of the graph, or because it has other readers.
    """
    values = on_zeros(model, batch)
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
        "peak_bytes": peak_bytes(model.graph, {name: v.nbytes for name, v in values.items()}),
    }


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
    rows = net.node(
        "Reshape",
        [pooled, net.node("Concat", [batch, rest], axis=0)],
        shape=("batch", CHANNELS),
    )
    stored = net.weight(net.rng.normal(0, 0.4, (10, CHANNELS)), "table")
    y = net.node("MatMul", [rows, net.node("Transpose", [stored], perm=[1, 0])])
    return net.dense(y, 4)


# --- truth ----------------------------------------------------------------------------------------


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


def _macs(node: onnx.NodeProto, values: Mapping[str, NDArray[np.generic]]) -> int:
    if node.op_type == "Conv":
        _, *window = values[node.input[1]].shape
        return values[node.output[0]].size * int(np.prod(window))
    if node.op_type not in {"MatMul", "Gemm"}:
        return 0
    transposed = any(a.name == "transB" and a.i for a in node.attribute)
    length = values[node.input[1]].shape[-1 if transposed else -2]
    return values[node.output[0]].size * length
