"""From the maps of the head to boxes: decoding, and suppressing what says the same twice."""

import numpy as np
import torch
from detector import STRIDES


### BEGIN SOLUTION yolo_on_mobile.decode
### STUB def decode(small, middle, large, anchors):
### STUB     """The maps of three strides as one table, float32 [n, boxes, 5 + classes].
### STUB
### STUB     small, middle, large: float32 [n, 3·(5 + classes), rows, columns], of STRIDES.
### STUB     anchors: float32 [3 strides, 3, 2], width and height in pixels.
### STUB     """
### STUB     raise NotImplementedError("yolo_on_mobile.decode")
def decode(small, middle, large, anchors):
    """The maps of three strides as one table, float32 [n, boxes, 5 + classes].

    small, middle, large: float32 [n, 3·(5 + classes), rows, columns], of STRIDES.
    anchors: float32 [3 strides, 3, 2], width and height in pixels.
    """
    parts = []
    for raw, stride, sizes in zip((small, middle, large), STRIDES, anchors, strict=True):
        n, channels, rows, columns = raw.shape
        cells = raw.view(n, 3, channels // 3, rows, columns).permute(0, 1, 3, 4, 2).sigmoid()
        down, right = torch.meshgrid(torch.arange(rows), torch.arange(columns), indexing="ij")
        grid = torch.stack((right, down), 2).to(raw.dtype)
        center = (2 * cells[..., 0:2] - 0.5 + grid) * stride
        size = (2 * cells[..., 2:4]) ** 2 * sizes.view(1, 3, 1, 1, 2)
        table = torch.cat((center, size, cells[..., 4:]), 4)
        parts.append(table.reshape(n, 3 * rows * columns, -1))
    return torch.cat(parts, 1)


### END SOLUTION


### BEGIN SOLUTION yolo_on_mobile.nms
### STUB def nms(path, floor, overlap, most):
### STUB     """What is left of one picture's boxes: [left, top, right, bottom, score, class].
### STUB
### STUB     path: an .npy file, float32 [boxes, 5 + classes], as `decode` gives them.
### STUB     """
### STUB     raise NotImplementedError("yolo_on_mobile.nms")
def nms(path, floor, overlap, most):
    """What is left of one picture's boxes: [left, top, right, bottom, score, class].

    path: an .npy file, float32 [boxes, 5 + classes], as `decode` gives them.
    """
    found = candidates(np.load(path).astype(np.float64), floor)
    kept = []
    while len(found) and len(kept) < most:
        best, found = found[0], found[1:]
        kept.append(best)
        # Only what is kept may suppress, and only its own class.
        found = found[(found[:, 5] != best[5]) | (shares(best, found) <= overlap)]
    return [box.tolist() for box in kept]


def candidates(table, floor):
    """Every box with its best class, as corners, if it is sure enough; the surest first."""
    classes = table[:, 5:].argmax(1)
    scores = table[:, 4] * table[:, 5:].max(1)
    half = table[:, 2:4] / 2
    found = np.column_stack((table[:, :2] - half, table[:, :2] + half, scores, classes))
    found = found[scores > floor]
    return found[np.argsort(-found[:, 4], kind="stable")]


def shares(box, others):
    """Intersection over union of one box with each of the others."""
    sides = np.minimum(box[2:4], others[:, 2:4]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.maximum(sides, 0), 1)
    both = np.prod(box[2:4] - box[:2]) + np.prod(others[:, 2:4] - others[:, :2], 1)
    return shared / (both - shared)


### END SOLUTION
