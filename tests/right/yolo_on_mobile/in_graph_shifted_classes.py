"""Classes are moved apart by 7680 pixels, as YOLOv5's own code does; the tail by onnxscript."""


### BEGIN SOLUTION yolo_on_mobile.in_graph
import detector
import onnx
import torch
from boxes import decode


class WithDecoding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.detector = detector.load()

    def forward(self, x):
        return decode(*self.detector(x), self.detector.anchors)


def export(most, target):
    """Write the detector to `target`, as ONNX, with decoding and suppression in it."""
    program = torch.onnx.export(
        WithDecoding().eval(),
        (torch.rand(1, 3, detector.SIDE, detector.SIDE),),
        dynamo=True,
        input_names=["pictures"],
        output_names=["table"],
        opset_version=18,
        verbose=False,
    )
    head, tail = program.model_proto, tail_for(most)
    tail.ir_version = head.ir_version
    whole = onnx.compose.merge_models(head, tail, io_map=[("table", "decoded")])
    order = {"pictures": 0, "floor": 1, "overlap": 2}
    inputs = sorted(whole.graph.input, key=lambda value: order[value.name])
    del whole.graph.input[:], whole.graph.value_info[:]
    whole.graph.input.extend(inputs)
    onnx.save(whole, target)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.in_graph suppression
from onnxscript import FLOAT, INT64, script
from onnxscript import opset18 as op

APART = 7680.0


def tail_for(most):
    """The graph from the decoded table to `most` rows, as a ModelProto."""

    @script()
    def tail(decoded: FLOAT[1, 1008, 11], floor: FLOAT[1], overlap: FLOAT[1]):
        flat = op.Squeeze(decoded, op.Constant(value_ints=[0]))
        center, size, sure, likely = op.Split(flat, op.Constant(value_ints=[2, 2, 1, 6]), axis=1)
        corners = op.Concat(center - size / 2.0, center + size / 2.0, axis=1)
        label = op.Cast(op.ArgMax(likely, axis=1), to=1)
        score = sure * op.ReduceMax(likely, op.Constant(value_ints=[1]))
        moved = op.Unsqueeze(corners + label * APART, op.Constant(value_ints=[0]))
        scores = op.Unsqueeze(op.Transpose(score), op.Constant(value_ints=[0]))
        picked = op.NonMaxSuppression(
            moved, scores, op.Constant(value_ints=[most]), overlap, floor
        )
        place = op.Gather(picked, op.Constant(value_int=2), axis=1)
        rows = op.Gather(op.Concat(corners, score, label, axis=1), place)
        # One class: NonMaxSuppression returns by falling score already.
        empty = op.Expand(0.0, op.Constant(value_ints=[most, 6]))
        first = op.Slice(
            op.Concat(rows, empty, axis=0),
            op.Constant(value_ints=[0]),
            op.Constant(value_ints=[most]),
            op.Constant(value_ints=[0]),
        )
        return op.Unsqueeze(first, op.Constant(value_ints=[0])), op.Shape(place)

    proto = tail.to_model_proto()
    del proto.graph.output[:]
    last, count = proto.graph.node[-2], proto.graph.node[-1]
    renamed = {last.output[0]: "boxes", count.output[0]: "count"}
    for node in proto.graph.node:
        node.output[:] = [renamed.get(name, name) for name in node.output]
        node.input[:] = [renamed.get(name, name) for name in node.input]
    make = onnx.helper.make_tensor_value_info
    proto.graph.output.extend([make("boxes", 1, [1, most, 6]), make("count", 7, [1])])
    return proto


### END SOLUTION
