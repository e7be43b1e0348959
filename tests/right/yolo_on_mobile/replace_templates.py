"""Activations as texts of small graphs, parsed by ONNX's own parser and put in with a prefix."""


### BEGIN SOLUTION yolo_on_mobile.replace
import onnx
from onnx import compose, helper, numpy_helper

SOFTPLUS = """
    zero = Constant <value_float = 0.0> ()
    one = Constant <value_float = 1.0> ()
    up = Max(x, zero)
    size = Abs(x)
    minus = Neg(size)
    power = Exp(minus)
    more = Add(power, one)
    log = Log(more)
"""
TEMPLATES = {
    "Softplus": SOFTPLUS + "y = Add(up, log)",
    "Mish": SOFTPLUS + "soft = Add(up, log) gate = Tanh(soft) y = Mul(x, gate)",
    "HardSwish": """
        three = Constant <value_float = 3.0> ()
        six = Constant <value_float = 6.0> ()
        zero = Constant <value_float = 0.0> ()
        moved = Add(x, three)
        low = Max(moved, zero)
        cut = Min(low, six)
        gate = Div(cut, six)
        y = Mul(gate, x)""",
    "HardSigmoid": """
        a = Constant <value_float = {alpha}> ()
        b = Constant <value_float = {beta}> ()
        zero = Constant <value_float = 0.0> ()
        one = Constant <value_float = 1.0> ()
        scaled = Mul(a, x)
        moved = Add(scaled, b)
        low = Max(moved, zero)
        y = Min(low, one)""",
}


def replace_unsupported(source, target):
    model = onnx.load(source)
    graph = model.graph
    merge_stems(graph)
    nodes = []
    for number, node in enumerate(graph.node):
        nodes += written(node, number) if node.op_type in TEMPLATES else [node]
    graph.ClearField("node")
    graph.node.extend(nodes)
    onnx.save(model, target)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.replace activations
def written(node, number):
    options = {"alpha": 0.2, "beta": 0.5}
    options |= {a.name: helper.get_attribute_value(a) for a in node.attribute}
    body = TEMPLATES[node.op_type]
    for key, value in options.items():
        body = body.replace("{" + key + "}", f"{value:.9f}")
    inner = onnx.parser.parse_graph("g (float[n] x) => (float[n] y) {" + body + "}")
    names = {"x": node.input[0], "y": node.output[0]}
    for each in inner.node:
        each.input[:] = [names.get(name, f"act{number}_{name}") for name in each.input]
        each.output[:] = [names.get(name, f"act{number}_{name}") for name in each.output]
        each.name = f"{node.op_type}_{number}_{each.output[0]}"
    return inner.node


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.replace stem
def merge_stems(graph):
    import numpy as np

    made = {name: node for node in graph.node for name in node.output}
    arrays = {t.name: numpy_helper.to_array(t) for t in graph.initializer}
    gone = []
    for conv in graph.node:
        cat = made.get(conv.input[0]) if conv.op_type == "Conv" else None
        if cat is None or cat.op_type != "Concat":
            continue
        slices = [made.get(name) for name in cat.input]
        if len(slices) != 4 or any(s is None or s.op_type != "Slice" for s in slices):
            continue
        old = arrays[conv.input[1]]
        parts = np.split(old, 4, axis=1)
        k = old.shape[2]
        new = np.zeros((*parts[0].shape[:2], k, 2, k, 2), np.float32)
        for part, piece in zip(slices, parts):
            row, column = arrays[part.input[1]]
            new[:, :, :, row, :, column] = piece
        new = new.reshape(*parts[0].shape[:2], 2 * k, 2 * k)
        graph.initializer.append(numpy_helper.from_array(new, conv.output[0] + "_stem"))
        inputs = [slices[0].input[0], conv.output[0] + "_stem", *conv.input[2:]]
        pad = next((a.ints[0] for a in conv.attribute if a.name == "pads"), 0)
        merged = helper.make_node(
            "Conv",
            inputs,
            conv.output,
            name=conv.name,
            kernel_shape=[2 * k, 2 * k],
            strides=[2, 2],
            pads=[2 * pad] * 4,
        )
        conv.CopyFrom(merged)
        gone += [cat, *slices]
    for node in gone:
        graph.node.remove(node)


### END SOLUTION
