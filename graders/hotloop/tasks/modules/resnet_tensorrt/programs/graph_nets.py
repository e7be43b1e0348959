"""Small random convolutional networks as ONNX models, for the graph tasks.

Everything is drawn from one generator, so a seed always gives the same model. The networks consist
of a ResNet's parts (convolutions, batch normalization in inference, ReLU, bottlenecks with and
without a projection, pooling, a dense head), with few channels and few pixels. Activations stay
near 1: a normalization's scale cancels its variance, however small that is.

Node names are `<what>_<number>`, and a node's output is named `<node's name>_output`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper

OPSET, IR_VERSION = 17, 9
BATCH = 2
EPSILONS = (1e-3, 2e-3, 5e-3, 1e-2)

Rng = np.random.Generator
Array = NDArray[np.generic]


class Builder:
    """A graph that grows node by node. channels: of each image tensor, by name."""

    def __init__(self, rng: Rng) -> None:
        self.rng = rng
        self.nodes: list[onnx.NodeProto] = []
        self.initializers: list[onnx.TensorProto] = []
        self.inputs: list[onnx.ValueInfoProto] = []
        self.outputs: list[str] = []
        self.channels: dict[str, int] = {}

    def input(self, name: str, shape: Sequence[int | str]) -> str:
        """Add a float32 input of the graph; return its name."""
        self.inputs.append(helper.make_tensor_value_info(name, TensorProto.FLOAT, list(shape)))
        if len(shape) == 4 and isinstance(shape[1], int):
            self.channels[name] = shape[1]
        return name

    def weight(self, values: Array, what: str) -> str:
        """Add an initializer; return its name. float64 becomes float32."""
        stored = values.astype(np.float32) if values.dtype == np.float64 else values
        name = f"{what}_{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.array(stored, order="C"), name))
        return name

    def node(self, op: str, inputs: Sequence[str], *, extra: int = 0, **attributes: object) -> str:
        """Add a node; return its first output's name. extra: number of further outputs."""
        name = f"{op.lower()}_{len(self.nodes)}"
        made = [f"{name}_output", *(f"{name}_output_{i + 1}" for i in range(extra))]
        self.nodes.append(helper.make_node(op, list(inputs), made, name=name, **attributes))
        if inputs and inputs[0] in self.channels:
            self.channels[made[0]] = self.channels[inputs[0]]
        return made[0]

    def conv(
        self,
        x: str,
        outputs: int,
        kernel: int = 3,
        *,
        stride: int = 1,
        groups: int = 1,
        bias: bool = False,
        weight: str | None = None,
    ) -> str:
        """Add a convolution that keeps height and width at stride 1; return its output's name."""
        fan = self.channels[x] // groups * kernel * kernel
        if weight is None:
            shape = (outputs, self.channels[x] // groups, kernel, kernel)
            weight = self.weight(self.rng.normal(0, np.sqrt(2 / fan), shape), "weight")
        inputs = [x, weight]
        if bias:
            inputs.append(self.weight(self.rng.normal(0, 0.5, outputs), "bias"))
        made = self.node(
            "Conv",
            inputs,
            kernel_shape=[kernel, kernel],
            pads=[kernel // 2] * 4,
            strides=[stride, stride],
            group=groups,
        )
        self.channels[made] = outputs
        return made

    def batchnorm(self, x: str, *, training: bool = False) -> str:
        """Add a normalization with variances small enough that a wrong epsilon shows."""
        count = self.channels[x]
        variance = 10 ** self.rng.uniform(-3, 0, count)
        scale = np.sqrt(variance) * self.rng.uniform(0.6, 1.4, count)
        shift, mean = self.rng.normal(0, 0.3, count), self.rng.normal(0, 0.3, count)
        kinds = {"scale": scale, "shift": shift, "mean": mean, "variance": variance}
        inputs = [x, *(self.weight(values, kind) for kind, values in kinds.items())]
        attributes: dict[str, object] = {"epsilon": float(self.rng.choice(EPSILONS))}
        if training:
            attributes["training_mode"] = 1
        made = self.node("BatchNormalization", inputs, extra=2 if training else 0, **attributes)
        self.channels[made] = count
        return made

    def inside(self, read: str) -> str:
        """Add an If or a Loop, only inside of which a tensor is read; the result is a scalar."""
        inner = f"inner_{len(self.nodes)}"
        mean = helper.make_node("ReduceMean", [read], [f"{inner}_mean"], keepdims=0)
        if self.rng.random() < 0.5:
            flag = self.weight(np.array(self.rng.random() < 0.5), "flag")
            branches = {
                "then_branch": _scalar(inner, "Tanh", [mean]),
                "else_branch": _scalar(f"{inner}_else", "Sigmoid", [mean]),
            }
            for graph in branches.values():
                # Each branch has names of its own.
                graph.node[0].output[0] = graph.node[1].input[0] = f"{graph.name}_mean"
            return self.node("If", [flag], **branches)
        rounds = self.weight(np.array(2, np.int64), "rounds")
        given = [self.weight(np.array(True), "flag"), self.weight(np.array(0.5), "start")]
        summed = self.node("Loop", [rounds, *given], body=_body(inner, mean))
        # Shape inference cannot know the shape of what a loop carries.
        return self.node("Reshape", [summed, self.weight(np.zeros(0, np.int64), "shape")])

    def relu(self, x: str) -> str:
        """Add max(x, 0)."""
        return self.node("Relu", [x])

    def conv_bn_relu(self, x: str, outputs: int, kernel: int = 3, stride: int = 1) -> str:
        """Add convolution, normalization and Relu: the chain that a ResNet consists of."""
        return self.relu(self.batchnorm(self.conv(x, outputs, kernel, stride=stride)))

    def bottleneck(self, x: str, width: int, outputs: int, stride: int = 1) -> str:
        """Add a ResNet's bottleneck: 1x1, 3x3, 1x1, plus its input, projected if necessary."""
        y = self.conv_bn_relu(x, width, 1)
        y = self.conv_bn_relu(y, width, 3, stride)
        y = self.batchnorm(self.conv(y, outputs, 1))
        if stride != 1 or self.channels[x] != outputs:
            x = self.batchnorm(self.conv(x, outputs, 1, stride=stride))
        return self.relu(self.node("Add", [y, x]))

    def dense(self, x: str, inputs: int, outputs: int) -> str:
        """Add a Gemm with torch's layout of the weight, [outputs, inputs]."""
        weight = self.weight(self.rng.normal(0, np.sqrt(2 / inputs), (outputs, inputs)), "weight")
        bias = self.weight(self.rng.normal(0, 0.3, outputs), "bias")
        return self.node("Gemm", [x, weight, bias], transB=1)

    def normalized(self, x: str) -> str:
        """Subtract the mean and divide by the deviation, for each channel."""
        shape = (1, self.channels[x], 1, 1)
        mean = self.weight(self.rng.normal(0.3, 0.2, shape), "pixel_mean")
        deviation = self.weight(self.rng.uniform(0.5, 0.9, shape), "pixel_deviation")
        return self.node("Div", [self.node("Sub", [x, mean]), deviation])

    def model(self) -> onnx.ModelProto:
        """Return the checked model, with inferred shapes of its outputs."""
        outputs = [onnx.ValueInfoProto(name=name) for name in self.outputs]
        graph = helper.make_graph(self.nodes, "net", self.inputs, outputs, self.initializers)
        opset = helper.make_opsetid("", OPSET)
        model = helper.make_model(
            graph, opset_imports=[opset], ir_version=IR_VERSION, producer_name="hotloop"
        )
        inferred = onnx.shape_inference.infer_shapes(model, strict_mode=True, data_prop=True)
        shaped = {v.name: v for v in (*inferred.graph.value_info, *inferred.graph.output)}
        del model.graph.output[:]
        model.graph.output.extend(shaped[name] for name in self.outputs)
        onnx.checker.check_model(model, full_check=True)
        return model


def _scalar(name: str, op: str, before: Sequence[onnx.NodeProto]) -> onnx.GraphProto:
    """Return a branch that applies an operation to what the nodes before it have made."""
    last = helper.make_node(op, [before[-1].output[0]], [f"{name}_end"])
    end = helper.make_tensor_value_info(f"{name}_end", TensorProto.FLOAT, [])
    return helper.make_graph([*before, last], name, [], [end])


def _body(name: str, mean: onnx.NodeProto) -> onnx.GraphProto:
    """Return a loop's body that adds a mean to a scalar in each round."""
    kinds = {"round": TensorProto.INT64, "go": TensorProto.BOOL, "sum": TensorProto.FLOAT}
    given = [helper.make_tensor_value_info(f"{name}_{k}", t, []) for k, t in kinds.items()]
    made = [
        helper.make_tensor_value_info(f"{name}_goes_on", TensorProto.BOOL, []),
        helper.make_tensor_value_info(f"{name}_end", TensorProto.FLOAT, []),
    ]
    nodes = [
        mean,
        helper.make_node("Identity", [f"{name}_go"], [f"{name}_goes_on"]),
        helper.make_node("Add", [f"{name}_sum", mean.output[0]], [f"{name}_end"]),
    ]
    return helper.make_graph(nodes, name, given, made)


def classifier(rng: Rng) -> onnx.ModelProto:
    """Return a network from pixels to class shares: stem, bottlenecks, two branches, dense head."""
    net = Builder(rng)
    x = net.normalized(net.input("pixels", (BATCH, 3, 12, 12)))
    x = net.conv_bn_relu(x, 8, int(rng.choice([3, 5])))
    if rng.random() < 0.5:
        x = net.node("MaxPool", [x], kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4)
    for _ in range(int(rng.integers(1, 3))):
        x = net.bottleneck(x, 4, 8, int(rng.choice([1, 2])))
    branches = [net.conv_bn_relu(x, 8), net.conv_bn_relu(x, 8)]
    x = net.node("Concat", branches, axis=1)
    x = net.node("Flatten", [net.node("GlobalAveragePool", [x])], axis=1)
    x = net.relu(net.dense(x, 16, 16))
    x = net.dense(x, 16, 5)
    net.outputs.append(net.node("Softmax", [x], axis=1))
    return net.model()


def pixels(model: onnx.ModelProto, rng: Rng) -> dict[str, NDArray[np.float32]]:
    """Return random inputs, by name, for a model with static shapes."""
    return {
        value.name: rng.normal(0, 1, shape_of(value)).astype(np.float32)
        for value in model.graph.input
    }


def shape_of(value: onnx.ValueInfoProto) -> tuple[int, ...]:
    """Return a static shape."""
    return tuple(dim.dim_value for dim in value.type.tensor_type.shape.dim)
