"""The detector as one file: pictures in, a fixed number of boxes out."""

### BEGIN SOLUTION yolo_on_mobile.in_graph
### STUB def export(most, target):
### STUB     """Write the detector to `target`, as ONNX, with decoding and suppression in it."""
### STUB     raise NotImplementedError("yolo_on_mobile.in_graph")
import warnings

import detector
import onnx
import torch
from boxes import decode
from shapes import CLASSES


class Decoded(torch.nn.Module):
    """The network with its decoding: pictures to a table."""

    def __init__(self):
        super().__init__()
        self.network = detector.load()

    def forward(self, pictures):
        return decode(*self.network(pictures), self.network.anchors)


def export(most, target):
    """Write the detector to `target`, as ONNX, with decoding and suppression in it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the exporter through TorchScript is deprecated
        torch.onnx.export(
            Decoded().eval(),
            (torch.zeros(1, 3, detector.SIDE, detector.SIDE),),
            target,
            dynamo=False,
            opset_version=17,
            input_names=["pictures"],
            output_names=["table"],
        )
    network = onnx.load(target)
    tail = onnx.parser.parse_model(suppression(most))
    tail.ir_version = network.ir_version
    onnx.save(onnx.compose.merge_models(network, tail, [("table", "table")]), target)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.in_graph suppression
### STUB # A table to `most` boxes: NonMaxSuppression, the order, and zeros for what is missing.
def suppression(most):
    """The graph behind the decoding, as onnx.parser reads it."""
    ids = ", ".join(map(str, range(len(CLASSES))))
    return f"""<ir_version: 8, opset_import: ["": 17]>
tail (float[1, 1008, 11] table, float[1] floor, float[1] overlap)
    => (float[1, {most}, 6] boxes, int64[1] count)
<int64[1] i0 = {{0}}, int64[1] i1 = {{1}}, int64[1] i2 = {{2}}, int64[1] i4 = {{4}},
 int64[1] i5 = {{5}}, int64[1] end = {{999}}, float half = {{0.5}}, int64[1] most = {{{most}}},
 int64[1, 1, {len(CLASSES)}] ids = {{{ids}}}> {{
    center = Slice(table, i0, i2, i2)
    size = Slice(table, i2, i4, i2)
    seen = Slice(table, i4, i5, i2)
    likely = Slice(table, i5, end, i2)
    reach = Mul(size, half)
    low = Sub(center, reach)
    high = Add(center, reach)
    corners = Concat <axis = 2> (low, high)
    highest = ReduceMax <axes = [2]> (likely)
    which = ArgMax <axis = 2> (likely)
    score = Mul(seen, highest)
    own = Equal(which, ids)
    mask = Cast <to = 1> (own)
    scores = Mul(score, mask)
    by_class = Transpose <perm = [0, 2, 1]> (scores)
    selected = NonMaxSuppression(corners, by_class, most, overlap, floor)
    chosen = Slice(selected, i2, end, i1)
    place = Squeeze(chosen, i1)
    class_number = Cast <to = 1> (which)
    rows = Concat <axis = 2> (corners, score, class_number)
    flat = Squeeze(rows, i0)
    kept = Gather <axis = 0> (flat, place)
    column = Slice(kept, i4, i5, i1)
    surest = Squeeze(column, i1)
    there = Shape(surest)
    count = Min(there, most)
    values, order = TopK(surest, count)
    sorted = Gather <axis = 0> (kept, order)
    missing = Sub(most, count)
    pads = Concat <axis = 0> (i0, i0, missing, i0)
    padded = Pad(sorted, pads)
    boxes = Unsqueeze(padded, i0)
}}"""


### END SOLUTION
