"""Graphs without what a delegate lacks, that compute the same."""

ALLOWED = (
    *("Conv", "Add", "Sub", "Mul", "Div", "Neg", "Abs", "Exp", "Log", "Sigmoid", "Tanh", "Relu"),
    *("Clip", "Max", "Min", "Concat", "MaxPool", "Identity", "Constant"),
)


### BEGIN SOLUTION yolo_on_mobile.replace
### STUB def replace_unsupported(source, target):
### STUB     """Write the ONNX model `source` to `target`, with operators of ALLOWED only."""
### STUB     raise NotImplementedError("yolo_on_mobile.replace")
import numpy as np
import onnx
from onnx import helper, numpy_helper


def replace_unsupported(source, target):
    """Write the ONNX model `source` to `target`, with operators of ALLOWED only."""
    model = onnx.load(source)
    merge_stems(model.graph)
    nodes = [new for node in model.graph.node for new in written(node, model.graph)]
    del model.graph.node[:]
    model.graph.node.extend(nodes)
    onnx.save(model, target)


def stored(graph, name, value):
    """A number as an initializer of the graph; its name."""
    if all(tensor.name != name for tensor in graph.initializer):
        graph.initializer.append(numpy_helper.from_array(np.array(value, np.float32), name))
    return name


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.replace activations
### STUB # Which nodes stand for an activation that the delegate lacks?
def written(node, graph):
    """The nodes that stand for one: itself, or what computes the same."""
    x, y = node.input[0] if node.input else "", node.output[0]
    chosen = {a.name: helper.get_attribute_value(a) for a in node.attribute}

    def number(value):
        return stored(graph, f"number_{value!r}", value)

    def step(op, inputs, output):
        return helper.make_node(op, inputs, [output], name=output)

    def softplus(output):
        # Of |x|, so that nothing overflows: max(x, 0) + log(1 + exp(−|x|)).
        return [
            step("Abs", [x], f"{y}_abs"),
            step("Neg", [f"{y}_abs"], f"{y}_neg"),
            step("Exp", [f"{y}_neg"], f"{y}_exp"),
            step("Add", [f"{y}_exp", number(1.0)], f"{y}_one"),
            step("Log", [f"{y}_one"], f"{y}_log"),
            step("Relu", [x], f"{y}_relu"),
            step("Add", [f"{y}_relu", f"{y}_log"], output),
        ]

    def hard_sigmoid(alpha, beta, output):
        return [
            step("Mul", [x, number(alpha)], f"{y}_scaled"),
            step("Add", [f"{y}_scaled", number(beta)], f"{y}_moved"),
            step("Clip", [f"{y}_moved", number(0.0), number(1.0)], output),
        ]

    if node.op_type == "Softplus":
        return softplus(y)
    if node.op_type == "Mish":
        gate = [*softplus(f"{y}_soft"), step("Tanh", [f"{y}_soft"], f"{y}_gate")]
        return [*gate, step("Mul", [x, f"{y}_gate"], y)]
    if node.op_type == "HardSigmoid":
        return hard_sigmoid(chosen.get("alpha", 0.2), chosen.get("beta", 0.5), y)
    if node.op_type == "HardSwish":
        return [*hard_sigmoid(1 / 6, 0.5, f"{y}_gate"), step("Mul", [x, f"{y}_gate"], y)]
    return [node]


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.replace stem
### STUB # Which slices, concatenation and convolution make a stem, and which convolution is it?
def merge_stems(graph):
    """Four slices, a concatenation and a convolution as one convolution of twice the size."""
    makers = {name: node for node in graph.node for name in node.output}
    values = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    for conv in [node for node in graph.node if node.op_type == "Conv"]:
        stacked = makers.get(conv.input[0])
        if stacked is None or stacked.op_type != "Concat":
            continue
        slices = [makers.get(name) for name in stacked.input]
        if not all(part is not None and part.op_type == "Slice" for part in slices):
            continue
        weight = values[conv.input[1]]
        out, channels, kernel, _ = weight.shape
        channels //= 4
        large = np.zeros((out, channels, 2 * kernel, 2 * kernel), np.float32)
        for place, part in enumerate(slices):
            down, right = values[part.input[1]]
            mine = weight[:, place * channels : (place + 1) * channels]
            large[:, :, down::2, right::2] = mine
        name = f"{conv.name}_merged"
        graph.initializer.append(numpy_helper.from_array(large, name))
        conv.input[0], conv.input[1] = slices[0].input[0], name
        pads = [2 * p for a in conv.attribute if a.name == "pads" for p in a.ints]
        del conv.attribute[:]
        conv.attribute.append(helper.make_attribute("strides", [2, 2]))
        conv.attribute.append(helper.make_attribute("pads", pads or [0] * 4))
        for node in (stacked, *slices):
            graph.node.remove(node)
    used = {name for node in graph.node for name in node.input}
    for tensor in [tensor for tensor in graph.initializer if tensor.name not in used]:
        graph.initializer.remove(tensor)


### END SOLUTION
