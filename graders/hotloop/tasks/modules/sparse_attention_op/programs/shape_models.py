"""Models with hotloop.lab nodes among others, and the shape of each of their tensors.

What a hotloop.lab node makes is said while the model is made; ONNX infers the rest.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx_builder import Builder, Rng
from onnx_facts import dims_of
from onnx_rewrites import packed

DOMAIN, NAME = "hotloop.lab", "SparseAttention"
FAULTS = ("heads", "depth", "keys", "threshold", "rank")


class _LayerBuilder(Builder):
    """Builds layers. thresholds, bad: those of all layers, and the nodes whose inputs don't fit."""

    def __init__(self, rng: Rng, width: int) -> None:
        super().__init__(rng, 18, anonymous=True)
        self.width = width
        self.thresholds: list[str] = []
        self.bad: list[str] = []

    def small(self, *shape: int) -> str:
        """Add a constant of small random weights."""
        return self.weight(self.rng.standard_normal(shape) / 4)

    def reshaped(self, x: str, *sizes: int) -> str:
        """Add a Reshape; 0 keeps a size, and -1 is the rest."""
        return self.node("Reshape", [x, self.weight(np.array(sizes, np.int64))])

    def heads_of(self, x: str, heads: int, depth: int) -> str:
        """Add nodes that map [batch, length, width] to [batch, heads, length, depth]."""
        flat = self.node("MatMul", [x, self.small(self.width, heads * depth)])
        split = self.reshaped(flat, 0, 0, heads, depth)
        return self.node("Transpose", [split], perm=[0, 2, 1, 3])

    def attention(self, x: str, heads: int, depth: int, fault: str | None) -> str:
        """Add a layer; with a fault, the inputs of its attention node do not fit."""
        q = self.heads_of(x, heads, depth)
        k = self.heads_of(x, heads + (fault == "heads"), depth * (1 + (fault == "depth")))
        v = self.heads_of(x, heads, depth)
        if fault == "keys":
            k = self.node("Concat", [k, k], axis=2)
        if fault == "rank":
            v = self.reshaped(v, 0, -1, depth)
        self.thresholds.append(self.small(heads + (fault == "threshold")))
        out = self.node(
            NAME,
            [q, k, v, self.thresholds[-1]],
            shape=["batch", heads, "length", depth],
            domain=DOMAIN,
            block=int(self.rng.choice([8, 16, 32])),
            causal=int(self.rng.integers(2)),
        )
        if fault is not None:
            self.bad.append(self.nodes[-1].name)
        back = self.node("Transpose", [out], perm=[0, 2, 1, 3])
        joined = self.reshaped(back, 0, 0, heads * depth)
        return self.node(
            "Add", [x, self.node("MatMul", [joined, self.small(heads * depth, self.width)])]
        )


def made(seed: int, layers: int, faults: bool) -> dict[str, Any]:
    """Return a model in base64, its tensors' shapes, and the nodes whose inputs do not fit."""
    rng = np.random.default_rng(seed)
    net = _LayerBuilder(rng, int(rng.choice([24, 32, 40])))
    x = net.input("tokens", ["batch", "length", net.width])
    at = int(rng.integers(layers)) if faults else -1
    fault = str(rng.choice(FAULTS))
    for layer in range(layers):
        heads, depth = int(rng.integers(2, 5)), int(rng.choice([16, 32]))
        if rng.integers(2):
            x = net.node("Relu", [x])
        x = net.attention(x, heads, depth, fault if layer == at else None)
    net.outputs.append(x)
    model = net.model(10, DOMAIN, check=False)
    # The last layer's threshold is stored last, and the first layer's first.
    places = {net.thresholds[0]: -1, net.thresholds[-1]: 1}
    model.graph.initializer.sort(key=lambda tensor: places.get(tensor.name, 0))
    outputs = [name for node in net.nodes for name in node.output]
    return {
        "model": packed(model),
        "shapes": {name: list(net.shape(name)) for name in outputs},
        "bad": net.bad,
    }


def read(path: str) -> dict[str, Any]:
    """Return the shapes in a model, its version, and its nodes without their names."""
    model = onnx.load(path)
    values = (*model.graph.value_info, *model.graph.output)
    return {
        "shapes": {v.name: dims_of(v) for v in values},
        "version": model.model_version,
        "nodes": [[n.op_type, n.domain, list(n.input), list(n.output)] for n in model.graph.node],
    }
