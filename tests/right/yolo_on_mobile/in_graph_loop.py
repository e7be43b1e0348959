"""A Loop of `most` rounds in the graph, built node by node with onnx.helper."""


### BEGIN SOLUTION yolo_on_mobile.in_graph
import detector
import numpy as np
import onnx
import torch
from boxes import decode
from onnx import TensorProto, helper, numpy_helper


class Table(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net = detector.load()

    def forward(self, pictures):
        return decode(*self.net(pictures), self.net.anchors).squeeze(0)


def export(most, target):
    """Write the detector to `target`, as ONNX, with decoding and suppression in it."""
    torch.onnx.export(
        Table().eval(),
        (torch.zeros(1, 3, detector.SIDE, detector.SIDE),),
        target,
        dynamo=False,
        opset_version=16,
        input_names=["pictures"],
        output_names=["table"],
    )
    model = onnx.load(target)
    add_suppression(model.graph, most)
    onnx.save(model, target)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.in_graph suppression
class Nodes:
    """Nodes and constants of a graph that grows."""

    def __init__(self, prefix):
        self.prefix, self.nodes, self.constants = prefix, [], []

    def __call__(self, op, *inputs, outputs=1, **attributes):
        start = len(self.nodes)
        names = [f"{self.prefix}_{start}_{number}" for number in range(outputs)]
        self.nodes.append(helper.make_node(op, [*map(self.named, inputs)], names, **attributes))
        return names[0] if outputs == 1 else names

    def named(self, value):
        if isinstance(value, str):
            return value
        name = f"{self.prefix}_c{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.asarray(value), name))
        return name


def add_suppression(graph, most):
    """Append the suppression of `table` to the graph, in place."""
    op = Nodes("tail")
    two = np.array([2, 2, 1, 6], np.int64)
    center, size, sure, likely = op("Split", "table", two, outputs=4, axis=1)
    half = op("Mul", size, np.float32(0.5))
    corners = op("Concat", op("Sub", center, half), op("Add", center, half), axis=1)
    label = op("Cast", op("ArgMax", likely, axis=1), to=TensorProto.FLOAT)
    score = op("Mul", sure, op("ReduceMax", likely, axes=[1]))
    alive = op("Where", op("Greater", score, "floor"), score, np.float32(0))
    rows = op("Concat", corners, score, label, axis=1)
    once = np.array(most, np.int64)
    left, found = op("Loop", once, np.array(True), alive, outputs=2, body=body(rows))
    boxes, scores = op("Unsqueeze", found, np.array([0])), op("Gather", found, 4, axis=1)
    there = op("Cast", op("Greater", scores, np.float32(0)), to=TensorProto.INT64)
    op.nodes.append(helper.make_node("Identity", [boxes], ["boxes"]))
    op.nodes.append(helper.make_node("ReduceSum", [there], ["count"]))
    graph.node.extend(op.nodes)
    graph.initializer.extend(op.constants)
    make = helper.make_tensor_value_info
    graph.input.extend([make(name, TensorProto.FLOAT, [1]) for name in ("floor", "overlap")])
    del graph.output[:]
    graph.output.extend(
        [make("boxes", TensorProto.FLOAT, [1, most, 6]), make("count", TensorProto.INT64, [1])]
    )


def body(rows):
    """One round: the surest row leaves, and takes its rivals with it. State: scores [1008, 1]."""
    op = Nodes("round")
    at = op("Squeeze", op("ArgMax", "scores", axis=0), np.array([0]))
    sure = op("Gather", "scores", at, axis=0)
    one = op("Gather", rows, at, axis=0)
    split = np.array([2, 2, 1, 1], np.int64)
    low, high, _, label = op("Split", rows, split, outputs=4, axis=1)
    my_low, my_high, _, mine = op("Split", one, split, outputs=4, axis=1)
    reach = op("Sub", op("Min", high, my_high), op("Max", low, my_low))
    both = product(op, op("Max", reach, np.float32(0)))
    areas = op("Add", product(op, op("Sub", high, low)), product(op, op("Sub", my_high, my_low)))
    share = op("Div", both, op("Sub", areas, both))
    rival = op("And", op("Equal", label, mine), op("Greater", share, "overlap"))
    # Of a box with itself the share is 1, which need not be above `overlap`.
    everywhere = np.arange(1008, dtype=np.int64)[:, None]
    gone = op("Or", rival, op("Equal", everywhere, at))
    scores = op("Where", gone, np.float32(0), "scores")
    there = op("Cast", op("Greater", sure, np.float32(0)), to=TensorProto.FLOAT)
    out = op("Squeeze", op("Mul", one, there), np.array([0]))
    keep = op("Identity", "more")
    make = helper.make_tensor_value_info
    return helper.make_graph(
        op.nodes,
        "round",
        [
            make("number", TensorProto.INT64, []),
            make("more", TensorProto.BOOL, []),
            make("scores", TensorProto.FLOAT, [1008, 1]),
        ],
        [
            make(keep, TensorProto.BOOL, []),
            make(scores, TensorProto.FLOAT, [1008, 1]),
            make(out, TensorProto.FLOAT, [6]),
        ],
        op.constants,
    )


def product(op, pairs):
    """Of the two columns, [n, 1]."""
    return op("ReduceProd", pairs, axes=[1])


### END SOLUTION
