"""Small random convolutional networks with fixed shapes, and the memory that they need."""

from __future__ import annotations

import onnx
from onnx import numpy_helper
from onnx_builder import Builder, Rng
from onnx_cost import peak_bytes, sizes_of

OPSET, IR_VERSION = 13, 8


def residual(rng: Rng, branches: int, tail: int) -> onnx.ModelProto:
    """Return convolutions with residual branches, followed by `tail` convolutions.

    A branch has up to three convolutions and Relus, then one that restores the channels. Without
    branches and tail, the network is a convolution and a Relu.
    """
    net = Builder(rng, OPSET)
    # Small enough that model, inputs and right outputs fit into a message of a worker.
    side = int(rng.integers(12, 25))
    x = net.input("x", (int(rng.integers(1, 4)), 3, side, side))
    x = net.conv(x, int(rng.integers(4, 17)), stride=int(rng.integers(1, 3)))
    for _ in range(branches):
        y = x
        for _ in range(int(rng.integers(1, 4))):
            y = net.node("Relu", [net.conv(y, int(rng.integers(4, 33)))])
        x = net.node("Add", [net.conv(y, int(net.shape(x)[1])), x])
    for _ in range(tail):
        x = net.conv(x, int(rng.integers(4, 17)), stride=int(rng.integers(1, 3)))
    net.outputs.append(x if branches or tail else net.node("Relu", [x]))
    return net.model(IR_VERSION)


def memory(model: onnx.ModelProto) -> dict[str, int]:
    """Return the bytes of weights, and the peak of bytes of live values; inputs stay to the end."""
    graph = onnx.shape_inference.infer_shapes(model, strict_mode=True).graph
    inputs = [value.name for value in graph.input]
    return {
        "weights": sum(numpy_helper.to_array(t).nbytes for t in graph.initializer),
        "activations": peak_bytes(graph, sizes_of(graph), stay=inputs),
    }
