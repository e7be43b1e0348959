"""Constant folding: what it removes, where it stops, and how it can make a file grow."""

from __future__ import annotations

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxscript import optimizer


def tensor(name: str, value: np.ndarray) -> onnx.TensorProto:
    """A stored constant."""
    return numpy_helper.from_array(value, name)


def graph(
    nodes: list[onnx.NodeProto], stored: list[onnx.TensorProto], shape: list[int | str]
) -> onnx.ModelProto:
    """From x to y."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    made = helper.make_graph(nodes, "g", [x], [y], stored)
    return helper.make_model(made, opset_imports=[helper.make_opsetid("", 18)], ir_version=8)


def folded(made: onnx.ModelProto, **limits: int) -> onnx.ModelProto:
    """By the optimizer that PyTorch's exporter uses."""
    return optimizer.optimize(made, **limits)


def operators(made: onnx.ModelProto) -> list[str]:
    """By name."""
    return [node.op_type for node in made.graph.node if node.op_type != "Constant"]


def shapes(batch: int | str) -> onnx.ModelProto:
    """Reshape to (batch, -1), the batch taken from the shape."""
    nodes = [
        helper.make_node("Shape", ["x"], ["s"]),
        helper.make_node("Gather", ["s", "zero"], ["b"]),
        helper.make_node("Concat", ["b", "rest"], ["to"], axis=0),
        helper.make_node("Reshape", ["x", "to"], ["y"]),
    ]
    stored = [tensor("zero", np.array([0])), tensor("rest", np.array([-1]))]
    return graph(nodes, stored, [batch, 3, 4])


def big(rows: int) -> onnx.ModelProto:
    """A mask made at run time: one number, repeated."""
    nodes = [
        helper.make_node("Expand", ["one", "size"], ["m"]),
        helper.make_node("Mul", ["x", "m"], ["y"]),
    ]
    stored = [tensor("one", np.ones(1, np.float32)), tensor("size", np.array([rows, rows]))]
    return graph(nodes, stored, [rows, rows])


def quantized() -> onnx.ModelProto:
    """Weights of one byte, made floats again in the graph."""
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "scale"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    stored = [
        tensor("q", np.ones((64, 64), np.int8)),
        tensor("scale", np.array(0.1, np.float32)),
    ]
    return graph(nodes, stored, [1, 64])


def noise() -> onnx.ModelProto:
    """Random numbers have no inputs, and are no constant."""
    nodes = [
        helper.make_node("RandomNormal", [], ["r"], shape=[2, 2]),
        helper.make_node("Add", ["x", "r"], ["y"]),
    ]
    return graph(nodes, [], [2, 2])


def main() -> None:
    """Print operators and bytes, before and after."""
    for batch in (2, "n"):
        after = operators(folded(shapes(batch)))
        print(f"batch {batch}: {len(operators(shapes(batch)))} operators become {', '.join(after)}")
        assert after[-1] == "Reshape"
        assert (len(after) == 1) == (batch == 2)
    for rows in (100, 1000):
        made = big(rows)
        after = folded(made)
        print(
            f"one number to {rows} × {rows}: {made.ByteSize():,} bytes become "
            f"{after.ByteSize():,}, {', '.join(operators(after))}"
        )
    assert "Expand" in operators(folded(big(1000))), "too large: left alone"
    forced = folded(big(1000), output_size_limit=1 << 40)
    print(f"  with the limit lifted {forced.ByteSize():,}")
    assert forced.ByteSize() > 4_000_000

    made, after = quantized(), folded(quantized())
    print(
        f"weights in one byte: {made.ByteSize():,} bytes become {after.ByteSize():,}, "
        f"{', '.join(operators(after))}"
    )
    assert "RandomNormal" in operators(folded(noise()))
    print("RandomNormal without inputs: left in the graph")


if __name__ == "__main__":
    main()
