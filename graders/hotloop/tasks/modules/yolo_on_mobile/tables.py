"""Decoding of a detector head's maps into tables of boxes."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32
from hotloop.tasks.modules.yolo_on_mobile.network_cost import STRIDES

Rng = np.random.Generator

OBJECTNESS = 4
SHARE_MASKED = 0.1
FAINT = -200.0
"""An objectness logit whose sigmoid is 0 in float32, although the box is not masked."""

ABSOLUTE = 1e-3
"""In pixels; float32 errs by a hundredth of it for these image sizes."""


def cases(rng: Rng) -> Iterator[Case]:
    """Yield square and oblong images, one or several, with few or many classes.

    In the variant that masks boxes, some have an objectness logit of −∞, and some have one whose
    float32 sigmoid is 0, too.
    """
    for label, n, classes, rows, columns in (
        ("a square picture", 1, 6, 4, 4),
        ("three wide pictures", 3, 2, 2, 5),
        ("two tall pictures", 2, 11, 6, 3),
        ("one class", 1, 1, 3, 4),
    ):
        values = [
            rng.normal(0, 2, (n, 3 * (5 + classes), rows * f, columns * f)) for f in (4, 2, 1)
        ]
        if constant("MASKED", 0, range(-999, -1)):
            for raw in values:
                objectness = raw[:, OBJECTNESS :: 5 + classes]
                share = rng.random(objectness.shape)
                objectness[share < SHARE_MASKED] = -np.inf
                objectness[share > 1 - SHARE_MASKED] = FAINT
        maps = [InputTensor(raw, FP32) for raw in values]
        anchors = InputTensor(rng.uniform(6, 90, (3, 3, 2)), FP32)
        boxes = 3 * rows * columns * (16 + 4 + 1)
        out = TensorSpec((n, boxes, 5 + classes), FP32)
        yield Case(label, (*maps, anchors), out)


def truth(small: Floats, middle: Floats, large: Floats, anchors: Floats) -> Floats:
    """Return the table: float64 [pictures, boxes, 5 + classes], by stride, anchor, row, column."""
    # x, y, width and height of a box with an objectness of −∞; 0: decode it like the others.
    masked = constant("MASKED", 0, range(-999, -1))
    parts: list[Floats] = []
    for raw, stride, sizes in zip((small, middle, large), STRIDES, anchors, strict=True):
        n, channels, rows, columns = raw.shape
        cells = 1 / (1 + np.exp(-raw.reshape(n, 3, channels // 3, rows, columns)))
        cells = cells.transpose(0, 1, 3, 4, 2).copy()
        down, right = np.indices((rows, columns), np.float64)
        cells[..., 0] = (2 * cells[..., 0] - 0.5 + right) * stride
        cells[..., 1] = (2 * cells[..., 1] - 0.5 + down) * stride
        cells[..., 2:4] = (2 * cells[..., 2:4]) ** 2 * sizes[None, :, None, None, :]
        if masked:
            objectness = raw.reshape(n, 3, channels // 3, rows, columns)[:, :, OBJECTNESS]
            cells[np.isneginf(objectness), :OBJECTNESS] = masked
        parts.append(cells.reshape(n, 3 * rows * columns, -1))
    return np.concatenate(parts, 1)


def tolerance(_case: Case) -> Tolerance:
    """Return one tolerance for all columns, pixels and probabilities alike."""
    return Tolerance(1e-5, ABSOLUTE / 10)
