"""Parts of hidden networks as text in ONNX's format, whose weights are drawn where they are added.

A motif is a row of nodes, separated by semicolons: "a = Conv(x); y = Relu(a)". `x` is the tensor to
begin with, and the last tensor is the result. What a node leaves out is drawn: the weight of a Conv
and its size of 1 or 3, the statistics of a BatchNormalization. A drawn weight is called after its
node, "a_weight", "a_scale"; a name that begins like one of STORED is an initializer of that kind,
and "none" is an input that is left out. Conv has an attribute of its own, `channels`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np
import onnx
from onnx import helper, parser
from onnx_builder import Array, Builder, Rng

STORED: Mapping[str, Callable[[Rng, int], Array]] = {
    "bias": lambda rng, count: rng.normal(0, 0.5, count),
    "factor": lambda rng, count: rng.uniform(0.5, 1.5, (count, 1, 1, 1)),
    "gain": lambda rng, count: rng.uniform(0.5, 1.5, (1, count, 1, 1)),
    "kernel": lambda rng, count: rng.normal(0, 0.5, (count, count, 1, 1)),
    "mean": lambda rng, count: rng.normal(0.3, 0.2, (1, count, 1, 1)),
    "offered": lambda rng, count: rng.normal(0, 0.5, (count, count, 1, 1)),
    "half": lambda _rng, _count: np.full((1, 1, 1, 1), 0.5),
    "scale": lambda _rng, _count: np.array(0.1),
    "positive": lambda rng, count: rng.uniform(0.5, 1.5, count),
    "square": lambda rng, count: rng.normal(0, 0.3, (count, count, 3, 3)),
    "zero": lambda _rng, _count: np.array(128, np.uint8),
}
"""Kinds of initializers: values for a number of channels. `offered` is a graph input, too."""

DRAWN = {"Conv": ("weight", "bias"), "BatchNormalization": ("scale", "shift", "mean", "variance")}

BRANCH = """{0} () => (float[] {0}_end) {{
    {0}_mean = ReduceMean<keepdims=0>({1})
    {0}_end = {2}({0}_mean)
}}"""
BODY = """{0} (int64[] {0}_i, bool[] {0}_go, float[] {0}_sum) => (bool[] {0}_on, float[] {0}_end) {{
    {0}_mean = ReduceMean<keepdims=0>({1})
    {0}_on = Identity({0}_go)
    {0}_end = Add({0}_sum, {0}_mean)
}}"""


def grow(net: Builder, motif: str, x: str) -> str:
    """Add a motif behind `x`; return its result. A tensor called `shown` is an output, too."""
    names = {"x": x, "none": ""}

    def tensor(name: str) -> str:
        if name not in names:
            kind = name.split("_")[0]
            names[name] = net.weight(STORED[kind](net.rng, net.shape(x)[1]), kind)
            if kind == "offered":
                net.inputs.append(names[name])
        return names[name]

    for text in motif.split(";"):
        node = parser.parse_node(text)
        made = _added(net, node, [tensor(name) for name in node.input])
        names.update(zip(node.output, net.nodes[-1].output, strict=False))
        for what, name in zip(DRAWN.get(node.op_type, ()), net.nodes[-1].input[1:], strict=False):
            names[f"{node.output[0]}_{what}"] = name
        if "shown" in node.output:
            net.outputs.append(made)
    return made


def _added(net: Builder, node: onnx.NodeProto, inputs: list[str]) -> str:
    attributes = {a.name: helper.get_attribute_value(a) for a in node.attribute}
    count = len(node.output)
    if node.op_type == "Inside":
        return _inside(net, inputs[0])
    if node.op_type == "BatchNormalization" and len(inputs) == 1:
        return net.batchnorm(inputs[0], count, **attributes)
    if node.op_type != "Conv":
        return net.node(node.op_type, inputs, outputs=count, **attributes)
    return net.conv(
        inputs[0],
        attributes.get("channels", 0),
        attributes["kernel_shape"][0]
        if "kernel_shape" in attributes
        else int(net.rng.choice([1, 3])),
        stride=attributes.get("strides", [1])[0],
        group=attributes.get("group", 1),
        weight="".join(inputs[1:2]),
        bias=inputs[2] if len(inputs) > 2 else None,
    )


def subgraph(text: str) -> onnx.GraphProto:
    """Return a branch or a body. `float[]` is a scalar, which the format itself cannot say."""
    graph = parser.parse_graph(text)
    for node in graph.node:
        node.ClearField("domain")  # the parser writes "", where others write nothing
    for value in (*graph.input, *graph.output):
        value.type.tensor_type.shape.SetInParent()
    return graph


def _inside(net: Builder, read: str) -> str:
    """Add an If or a Loop, only inside of which a tensor is read; the result is a scalar."""
    inner = f"inner_{len(net.nodes)}"
    flag = net.weight(np.array(net.rng.random() < 0.5), "flag")
    if net.rng.random() < 0.5:
        branches = {
            branch: subgraph(BRANCH.format(f"{inner}_{op}", read, op))
            for branch, op in (("then_branch", "Tanh"), ("else_branch", "Sigmoid"))
        }
        result = net.node("If", [flag], **branches)
    else:
        inputs = [net.weight(np.array(2, np.int64), "rounds"), flag, net.weight(0.5, "start")]
        result = net.node("Loop", inputs, body=subgraph(BODY.format(inner, read)))
    # Shape inference cannot know the shape of what a loop carries.
    return net.node("Reshape", [result, net.weight(np.zeros(0, np.int64), "shape")])
