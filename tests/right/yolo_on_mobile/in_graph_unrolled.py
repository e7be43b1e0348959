"""Suppression without ONNX's operator: `most` static rounds of ArgMax, unrolled by the exporter."""


### BEGIN SOLUTION yolo_on_mobile.in_graph
import detector
import torch
from boxes import decode


class OneFile(torch.nn.Module):
    def __init__(self, most):
        super().__init__()
        self.net = detector.load()
        self.most = most

    def forward(self, pictures, floor, overlap):
        table = decode(*self.net(pictures), self.net.anchors)[0]
        half = table[:, 2:4] / 2
        corners = torch.cat((table[:, :2] - half, table[:, :2] + half), 1)
        best, label = table[:, 5:].max(1)
        scores = table[:, 4] * best
        scores = torch.where(scores > floor, scores, torch.zeros_like(scores))
        rows = torch.cat((corners, scores[:, None], label[:, None].to(torch.float32)), 1)
        areas = (corners[:, 2:] - corners[:, :2]).prod(1)
        kept = []
        for _ in range(self.most):
            at = scores.argmax(0, keepdim=True)
            row = rows.index_select(0, at) * (scores.index_select(0, at) > 0)[:, None]
            kept.append(row)
            rivals = (label == label.index_select(0, at)) & (
                iou(corners, areas, corners.index_select(0, at)) > overlap
            )
            scores = torch.where(rivals, torch.zeros_like(scores), scores)
            scores = scores.scatter(0, at, torch.zeros(1))
        boxes = torch.cat(kept)[None]
        return boxes, (boxes[0, :, 4] > 0).sum().reshape(1)


def iou(corners, areas, one):
    """Of each box with one: [n]."""
    low = torch.maximum(corners[:, :2], one[:, :2])
    high = torch.minimum(corners[:, 2:], one[:, 2:])
    shared = (high - low).clamp(min=0).prod(1)
    own = (one[:, 2:] - one[:, :2]).prod(1)
    return shared / (areas + own - shared)


def export(most, target):
    """Write the detector to `target`, as ONNX, with decoding and suppression in it."""
    side = detector.SIDE
    torch.onnx.export(
        OneFile(most).eval(),
        (torch.zeros(1, 3, side, side), torch.tensor([0.25]), torch.tensor([0.5])),
        target,
        dynamo=True,
        external_data=False,
        verbose=False,
        input_names=["pictures", "floor", "overlap"],
        output_names=["boxes", "count"],
    )


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.in_graph suppression
# OneFile holds it.
### END SOLUTION
