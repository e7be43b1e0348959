"""Models with hotloop.lab nodes among others, and the shape of each of their tensors.

The shapes are recorded while the model is made; nothing is inferred.
"""

from __future__ import annotations

import base64
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

DOMAIN, NAME = "hotloop.lab", "SparseAttention"
FAULTS = ("heads", "depth", "keys", "threshold", "rank")

Dims = list[Any]


class _Maker:
    """Builds a graph and records the shapes of its tensors."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self.nodes: list[onnx.NodeProto] = []
        self.stored: list[onnx.TensorProto] = []
        self.thresholds: list[str] = []
        self.shapes: dict[str, Dims] = {}
        self.count = 0
        self.bad: list[str] = []

    def name(self) -> str:
        """Return a new name that reveals nothing."""
        self.count += 1
        return f"t{self.count}_{int(self.rng.integers(1 << 20)):05x}"

    def store(self, values: np.ndarray) -> str:
        """Add a constant and return its name."""
        name = self.name()
        self.stored.append(numpy_helper.from_array(values, name))
        return name

    def weights(self, *shape: int) -> str:
        """Add a constant of small random weights."""
        return self.store(self.rng.standard_normal(shape).astype(np.float32) / 4)

    def node(self, kind: str, inputs: list[str], shape: Dims, **attributes: Any) -> str:
        """Add a node with one output of the given shape; return the output's name."""
        out = self.name()
        self.nodes.append(helper.make_node(kind, inputs, [out], name=f"n_{out}", **attributes))
        self.shapes[out] = shape
        return out

    def heads_of(self, x: str, width: int, heads: int, depth: int) -> str:
        """Add nodes that map [batch, length, width] to [batch, heads, length, depth]."""
        flat = self.node(
            "MatMul", [x, self.weights(width, heads * depth)], ["batch", "length", heads * depth]
        )
        shape = self.store(np.array([0, 0, heads, depth], np.int64))
        split = self.node("Reshape", [flat, shape], ["batch", "length", heads, depth])
        return self.node("Transpose", [split], ["batch", heads, "length", depth], perm=[0, 2, 1, 3])

    def attention(self, x: str, width: int, heads: int, depth: int, fault: str | None) -> str:
        """Add a layer; with a fault, the inputs of its attention node do not fit."""
        key_heads = heads + 1 if fault == "heads" else heads
        key_depth = 2 * depth if fault == "depth" else depth
        q = self.heads_of(x, width, heads, depth)
        k = self.heads_of(x, width, key_heads, key_depth)
        v = self.heads_of(x, width, heads, depth)
        if fault == "keys":
            k = self.node("Concat", [k, k], ["batch", heads, None, depth], axis=2)
        if fault == "rank":
            merged = self.store(np.array([0, -1, depth], np.int64))
            v = self.node("Reshape", [v, merged], ["batch", None, depth])
        threshold = self.weights(heads + 1 if fault == "threshold" else heads)
        self.thresholds.append(threshold)
        block = int(self.rng.choice([8, 16, 32]))
        out = self.node(
            NAME,
            [q, k, v, threshold],
            ["batch", heads, "length", depth],
            domain=DOMAIN,
            block=block,
            causal=int(self.rng.integers(2)),
        )
        if fault is not None:
            self.bad.append(f"n_{out}")
        back = self.node("Transpose", [out], ["batch", "length", heads, depth], perm=[0, 2, 1, 3])
        joined = self.store(np.array([0, 0, heads * depth], np.int64))
        flat = self.node("Reshape", [back, joined], ["batch", "length", heads * depth])
        mixed = self.node(
            "MatMul", [flat, self.weights(heads * depth, width)], ["batch", "length", width]
        )
        return self.node("Add", [x, mixed], ["batch", "length", width])

    def shuffled(self) -> list[onnx.TensorProto]:
        """Return the constants shuffled: the last layer's threshold last, the first layer's first.

        With one layer there is no other threshold to put first.
        """
        ends = [self.thresholds[0], self.thresholds[-1]]
        last, *first = [t for name in reversed(ends) for t in self.stored if t.name == name]
        rest = [t for t in self.stored if t.name not in ends]
        mixed = [rest[int(i)] for i in self.rng.permutation(len(rest))]
        return [*first[: len(set(ends)) - 1], *mixed, last]


def made(seed: int, layers: int, faults: bool) -> dict[str, Any]:
    """Return a model in base64, its tensors' shapes, and the nodes whose inputs do not fit."""
    rng = np.random.default_rng(seed)
    maker = _Maker(rng)
    width = int(rng.choice([24, 32, 40]))
    x = "tokens"
    at = int(rng.integers(layers)) if faults else -1
    fault = str(rng.choice(FAULTS)) if faults else None
    for layer in range(layers):
        heads, depth = int(rng.integers(2, 5)), int(rng.choice([16, 32]))
        if rng.integers(2):
            x = maker.node("Relu", [x], ["batch", "length", width])
        x = maker.attention(x, width, heads, depth, fault if layer == at else None)
    ends = [
        helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", "length", width])
        for name in ("tokens", x)
    ]
    graph = helper.make_graph(maker.nodes, "layers", ends[:1], ends[1:], maker.shuffled())
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(DOMAIN, 1)]
    model = helper.make_model(graph, opset_imports=opsets, ir_version=10)
    return {
        "model": base64.b64encode(model.SerializeToString()).decode(),
        "shapes": maker.shapes,
        "bad": maker.bad,
    }


def read(path: str) -> dict[str, Any]:
    """Return the shapes in an answer, its version, and its nodes without their names."""
    model = onnx.load(path)
    values = (*model.graph.value_info, *model.graph.output)
    return {
        "shapes": {v.name: _dims(v) for v in values},
        "version": model.model_version,
        "nodes": [[n.op_type, n.domain, list(n.input), list(n.output)] for n in model.graph.node],
    }


def nodes_of(path: str) -> list[Any]:
    """Return the nodes only."""
    return read(path)["nodes"]


def _dims(value: onnx.ValueInfoProto) -> Dims:
    tensor = value.type.tensor_type
    if not tensor.HasField("shape"):
        return ["?"]
    return [
        d.dim_value if d.HasField("dim_value") else d.dim_param or "?" for d in tensor.shape.dim
    ]
