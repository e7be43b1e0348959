"""Write small convolutional models from plans that the judge drew.

A plan is JSON: {"batch", "side", "channels", "steps", "seed"}. A step is [operator, inputs, …]
with inputs as numbers of earlier values (0: the graph's input); "Conv" also has its output channels
and stride. The last value is the graph's output.
"""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 13


def write(plan: str) -> str:
    """Return the path of the model, in float32, with fixed shapes."""
    request = json.loads(plan)
    rng = np.random.default_rng(request["seed"])
    shapes = [(request["batch"], request["channels"], request["side"], request["side"])]
    nodes: list[onnx.NodeProto] = []
    weights: list[onnx.TensorProto] = []
    for number, (operator, inputs, *more) in enumerate(request["steps"], start=1):
        names = [f"v{i}" for i in inputs]
        attributes: dict[str, object] = {}
        shape = shapes[inputs[0]]
        if operator == "Conv":
            channels, stride = more
            spread = np.sqrt(2 / (9 * shape[1]))
            kernel = (spread * rng.standard_normal((channels, shape[1], 3, 3))).astype(np.float32)
            weights.append(numpy_helper.from_array(kernel, f"w{number}"))
            names.append(f"w{number}")
            attributes = {"strides": [stride] * 2, "pads": [1] * 4, "kernel_shape": [3, 3]}
            side = (shape[2] - 1) // stride + 1
            shape = (shape[0], channels, side, side)
        nodes.append(helper.make_node(operator, names, [f"v{number}"], **attributes))
        shapes.append(shape)
    ends = [
        [helper.make_tensor_value_info(f"v{at % len(shapes)}", TensorProto.FLOAT, shapes[at])]
        for at in (0, -1)
    ]
    graph = helper.make_graph(nodes, "made", ends[0], ends[1], weights)
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
    onnx.checker.check_model(model, full_check=True)
    path = Path(tempfile.mkdtemp()) / "model.onnx"
    onnx.save(model, str(path))
    return str(path)
