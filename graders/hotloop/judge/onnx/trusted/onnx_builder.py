"""Build small random ONNX models, node by node. Everything is drawn from one generator.

A tensor's type is what ONNX's own shape inference says of the node that makes it. Activations stay
near 1: a normalization's scale cancels its variance, however small that is.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, TypeProto, defs, helper, numpy_helper

EPSILONS = (1e-3, 2e-3, 5e-3, 1e-2)

Rng = np.random.Generator
Array = NDArray[np.generic]
Dim = int | str | None


class Builder:
    """A graph that grows node by node.

    A node is called `<operator>_<number>`, and its output `<node's name>_output`.
    anonymous: tensors have random names and initializers a random order, so that neither says what
    a tensor is. explicit: share of convolutions that say attributes that have their default, too.
    """

    def __init__(
        self, rng: Rng, opset: int = 17, *, anonymous: bool = False, explicit: float = 1.0
    ) -> None:
        self.rng, self.opset, self.anonymous, self.explicit = rng, opset, anonymous, explicit
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.inputs: list[str] = []
        self.outputs: list[str] = []
        self.types: dict[str, TypeProto] = {}

    def new_name(self, readable: str) -> str:
        """Return an unused name: `readable`, or one that reveals nothing."""
        name = readable
        while self.anonymous and (name == readable or name in self.types):
            name = f"t{self.rng.integers(10**6)}"
        return name

    def input(self, name: str, shape: Sequence[int | str]) -> str:
        """Add a float32 input of the graph; return its name."""
        self.inputs.append(name)
        self.types[name] = helper.make_tensor_type_proto(TensorProto.FLOAT, list(shape))
        return name

    def weight(self, values: Array | float, what: str = "weight") -> str:
        """Add an initializer; return its name. float64 becomes float32."""
        values = np.asarray(values)
        stored = values.astype(np.float32) if values.dtype == np.float64 else values
        name = self.new_name(f"{what}_{len(self.initializers)}")
        tensor = numpy_helper.from_array(np.array(stored, order="C"), name)
        self.initializers.append(tensor)
        self.types[name] = helper.make_tensor_type_proto(tensor.data_type, tensor.dims)
        return name

    def node(
        self,
        op: str,
        inputs: Sequence[str],
        *,
        outputs: int = 1,
        shape: Sequence[Dim] | None = None,
        **attributes: object,
    ) -> str:
        """Add a node; return its first output's name.

        shape: of that output, float32, where inference cannot know it.
        """
        name = f"{op.lower()}_{len(self.nodes)}"
        ends = ["", *(f"_{i}" for i in range(1, outputs))]
        output_names = [self.new_name(f"{name}_output{end}") for end in ends]
        node = helper.make_node(op, list(inputs), output_names, name=name, **attributes)
        self.nodes.append(node)
        if shape is None:
            self.types.update(self._inferred(node))
        else:
            self.types[output_names[0]] = helper.make_tensor_type_proto(
                TensorProto.FLOAT, list(shape)
            )
        return output_names[0]

    def shape(self, name: str) -> tuple[Dim, ...]:
        """Return a tensor's sizes: a number, a name, or None where neither is known."""
        dims = self.types[name].tensor_type.shape.dim
        return tuple(d.dim_value if d.HasField("dim_value") else d.dim_param or None for d in dims)

    def conv(
        self,
        x: str,
        channels: int = 0,
        kernel: int = 3,
        *,
        stride: int = 1,
        group: int = 1,
        weight: str = "",
        bias: str | None = None,
    ) -> str:
        """Add a convolution that keeps height and width at stride 1; return its output's name.

        channels: of the output; 0 for those of the input. weight: "" to draw it. bias: None to have
        no such input.
        """
        before = self.shape(x)[1]
        shape = (channels or before, before // group, kernel, kernel)
        if not weight:
            spread = np.sqrt(2 / np.prod(shape[1:]))
            weight = self.weight(self.rng.normal(0, spread, shape))
        inputs = [x, weight] if bias is None else [x, weight, bias]
        sizes = list(self.shape(weight)[2:])
        attributes = {"kernel_shape": sizes, "strides": [stride] * 2, "group": group}
        defaults = {"kernel_shape": sizes, "strides": [1, 1], "group": 1}
        if self.rng.random() >= self.explicit:
            attributes = {
                name: value for name, value in attributes.items() if value != defaults[name]
            }
        return self.node("Conv", inputs, pads=[size // 2 for size in sizes] * 2, **attributes)

    def batchnorm(self, x: str, outputs: int = 1, **attributes: object) -> str:
        """Add a normalization with variances small enough that a wrong epsilon shows.

        Without attributes, an epsilon is drawn.
        """
        count = self.shape(x)[1]
        variance = 10 ** self.rng.uniform(-3, 0, count)
        statistics = {
            "scale": np.sqrt(variance) * self.rng.uniform(0.6, 1.4, count),
            "shift": self.rng.normal(0, 0.3, count),
            "mean": self.rng.normal(0, 0.3, count),
            "variance": variance,
        }
        inputs = [x, *(self.weight(values, what) for what, values in statistics.items())]
        attributes = attributes or {"epsilon": float(self.rng.choice(EPSILONS))}
        return self.node("BatchNormalization", inputs, outputs=outputs, **attributes)

    def dense(self, x: str, outputs: int) -> str:
        """Add a Gemm with torch's layout of the weight, [outputs, inputs]."""
        inputs = self.shape(x)[1]
        weight = self.weight(self.rng.normal(0, np.sqrt(2 / inputs), (outputs, inputs)))
        bias = self.weight(self.rng.normal(0, 0.3, outputs), "bias")
        return self.node("Gemm", [x, weight, bias], transB=1)

    def model(self, ir_version: int = 9, domain: str = "", check: bool = True) -> onnx.ModelProto:
        """Return the model. domain: of custom operators that it imports, version 1."""
        ends = [
            [helper.make_value_info(name, self.types[name]) for name in names]
            for names in (self.inputs, self.outputs)
        ]
        stored = self.initializers
        if self.anonymous:
            stored = [stored[place] for place in self.rng.permutation(len(stored))]
        graph = helper.make_graph(self.nodes, "net", *ends, stored)
        opsets = [helper.make_opsetid("", self.opset)]
        if domain:
            opsets.append(helper.make_opsetid(domain, 1))
        model = helper.make_model(graph, opset_imports=opsets, ir_version=ir_version)
        if check:
            onnx.checker.check_model(model, full_check=True)
        return model

    def _inferred(self, node: onnx.NodeProto) -> dict[str, TypeProto]:
        read = {name: self.types[name] for name in node.input if name in self.types}
        return onnx.shape_inference.infer_node_outputs(
            defs.get_schema(node.op_type, self.opset, ""),
            node,
            read,
            {tensor.name: tensor for tensor in self.initializers if tensor.name in read},
            opset_imports=[helper.make_opsetid("", self.opset)],
            ir_version=9,
        )
