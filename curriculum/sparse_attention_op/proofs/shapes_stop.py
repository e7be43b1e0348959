"""What onnx's shape inference knows behind a node that it does not know."""

from __future__ import annotations

import sys
from pathlib import Path

import onnx

sys.path.append(str(Path(__file__).parent))
from onnx import TensorProto, helper
from sparse_lab.exports import shape_inference

SHAPE = ["batch", 2, "length", 32]


def model() -> onnx.ModelProto:
    """Two layers of the laboratory's node, each between two nodes of ONNX's own."""
    nodes: list[onnx.NodeProto] = []
    x = "x"
    for layer in range(2):
        nodes += [
            helper.make_node("Relu", [x], [f"r{layer}"]),
            helper.make_node(
                "SparseAttention",
                [f"r{layer}", f"r{layer}", f"r{layer}", "threshold"],
                [f"a{layer}"],
                domain="hotloop.lab",
                block=16,
                causal=0,
            ),
            helper.make_node("Transpose", [f"a{layer}"], [f"t{layer}"], perm=[0, 1, 3, 2]),
            helper.make_node("Transpose", [f"t{layer}"], [f"b{layer}"], perm=[0, 1, 3, 2]),
        ]
        x = f"b{layer}"
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, SHAPE) for n in ("x", x)]
    threshold = helper.make_tensor_value_info("threshold", TensorProto.FLOAT, [2])
    graph = helper.make_graph(nodes, "two_layers", [ends[0], threshold], ends[1:])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("hotloop.lab", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=10)


def known(made: onnx.ModelProto) -> list[str]:
    """Tensors inside the graph whose shape is told."""
    return [v.name for v in made.graph.value_info if v.type.tensor_type.HasField("shape")]


def main() -> None:
    """Before and after a node's output is told."""
    made = model()
    once = known(onnx.shape_inference.infer_shapes(made))
    again = known(shape_inference._inferred(made))
    print("shapes known after one inference:", once)
    print("after annotating the node's outputs:", sorted(again))
    strict = known(onnx.shape_inference.infer_shapes(made, strict_mode=True))
    print("strict_mode raises an error:", strict != once)
    assert once == ["r0"]
    assert len(again) == 7


if __name__ == "__main__":
    main()
