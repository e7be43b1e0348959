"""Maps of a detector's head, and the boxes that they mean."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.rungs.correct import Case, Tensor

Rng = np.random.Generator

STRIDES = (8, 16, 32)
ABSOLUTE = 1e-3
"""Of a pixel: float32 is off by a hundredth of it for pictures of this size."""


def cases(rng: Rng) -> Iterator[Case]:
    """Square and oblong pictures, one and several, few classes and many."""
    for label, n, classes, rows, columns in (
        ("a square picture", 1, 6, 4, 4),
        ("three wide pictures", 3, 2, 2, 5),
        ("two tall pictures", 2, 11, 6, 3),
        ("one class", 1, 1, 3, 4),
    ):
        maps = [
            Tensor(rng.normal(0, 2, (n, 3 * (5 + classes), rows * f, columns * f)), FP32)
            for f in (4, 2, 1)
        ]
        anchors = Tensor(rng.uniform(6, 90, (3, 3, 2)), FP32)
        boxes = 3 * rows * columns * (16 + 4 + 1)
        out = TensorSpec((n, boxes, 5 + classes), FP32)
        yield Case(label, (*maps, anchors), out)


def truth(small: Floats, middle: Floats, large: Floats, anchors: Floats) -> Floats:
    """Stride by stride, anchor by anchor, row by row."""
    parts: list[Floats] = []
    for raw, stride, sizes in zip((small, middle, large), STRIDES, anchors, strict=True):
        n, channels, rows, columns = raw.shape
        told = 1 / (1 + np.exp(-raw.reshape(n, 3, channels // 3, rows, columns)))
        told = told.transpose(0, 1, 3, 4, 2).copy()
        down, right = np.indices((rows, columns), np.float64)
        told[..., 0] = (2 * told[..., 0] - 0.5 + right) * stride
        told[..., 1] = (2 * told[..., 1] - 0.5 + down) * stride
        told[..., 2:4] = (2 * told[..., 2:4]) ** 2 * sizes[None, :, None, None, :]
        parts.append(told.reshape(n, 3 * rows * columns, -1))
    return np.concatenate(parts, 1)


def tolerance(_case: Case) -> Tolerance:
    """Of all columns: a probability is compared as if it were a pixel, but for the share."""
    return Tolerance(1e-5, ABSOLUTE / 10)
