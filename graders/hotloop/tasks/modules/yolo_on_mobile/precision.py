"""Mean average precision (mAP) of detection tables, in float64."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hotloop.judge.compare import Floats

FLOOR, OVERLAP, MOST = 0.02, 0.6, 60
SHOWN = 0.25
HIT = 0.5
"""The least IoU with an object that a box detects."""
RECALLS = np.linspace(0, 1, 101)


def mean_average_precision(tables: Floats, objects: Sequence[Floats], classes: int) -> float:
    """Return the mAP over all classes at an IoU of HIT.

    tables: [pictures, boxes, 5 + classes]. objects: for each picture [n, 5]: corners, class.
    """
    return mean_of([nms(table) for table in tables], objects, classes)


def score_change(before: Floats, after: Floats) -> float:
    """Return the mean score change of the boxes in `before` with scores above SHOWN.

    A box that has no counterpart of its class in `after` counts as having lost its whole score.
    Returns 0.0 if there are no such boxes.
    """
    changes: list[float] = []
    for one, other in zip(before, after, strict=True):
        boxes, others = nms(one), nms(other)
        for box in boxes[boxes[:, 4] > SHOWN]:
            same = others[others[:, 5] == box[5]]
            same = same[overlaps(box, same) > OVERLAP]
            score = float(same[:, 4].max(initial=0.0))
            changes.append(abs(score - float(box[4])))
    return float(np.mean(changes)) if changes else 0.0


def mean_of(boxes: Sequence[Floats], objects: Sequence[Floats], classes: int) -> float:
    """Return the mAP of boxes after suppression, at an IoU of HIT.

    boxes: for each picture [n, 6]: corners, score, class, in any order. objects: for each picture
    [n, 5]: corners, class.
    """
    each = [_of_class(boxes, objects, which) for which in range(classes)]
    return float(np.mean([value for value in each if value is not None]))


def nms(table: Floats) -> Floats:
    """Return the boxes after per-class NMS, by falling score.

    float64 [n, 6]: corners, score, class.
    """
    scores = table[:, 4] * table[:, 5:].max(1)
    # This comparison drops NaN scores.
    sure = np.flatnonzero(scores > FLOOR)
    sure = sure[np.argsort(-scores[sure], kind="stable")][:300]
    half = table[sure, 2:4] / 2
    corners = (table[sure, :2] - half, table[sure, :2] + half)
    left = np.column_stack((*corners, scores[sure], table[sure, 5:].argmax(1)))
    chosen: list[Floats] = []
    while len(left) and len(chosen) < MOST:
        best, left = left[0], left[1:]
        chosen.append(best)
        left = left[(left[:, 5] != best[5]) | (overlaps(best, left) <= OVERLAP)]
    return np.array(chosen).reshape(-1, 6)


def overlaps(box: Floats, others: Floats) -> Floats:
    """Intersection over union of one box with each of the others."""
    sides = np.minimum(box[2:4], others[:, 2:4]) - np.maximum(box[:2], others[:, :2])
    shared = np.prod(np.maximum(sides, 0), 1)
    both = np.prod(box[2:4] - box[:2]) + np.prod(others[:, 2:4] - others[:, :2], 1) - shared
    return shared / np.maximum(both, 1e-9)


def _of_class(boxes: Sequence[Floats], objects: Sequence[Floats], which: int) -> float | None:
    scores: list[float] = []
    hits: list[bool] = []
    count = 0
    for predicted, true in zip(boxes, objects, strict=True):
        there = true[true[:, 4] == which]
        count += len(there)
        free = np.ones(len(there), bool)
        mine = predicted[predicted[:, 5] == which]
        for box in mine[np.argsort(-mine[:, 4], kind="stable")]:
            shared = np.where(free, overlaps(box, there), -1.0)
            best = int(shared.argmax()) if len(there) else -1
            hit = best >= 0 and bool(shared[best] >= HIT)
            if hit:
                free[best] = False
            scores.append(float(box[4]))
            hits.append(hit)
    if not count:
        return None
    if not scores:
        return 0.0
    order = np.argsort(-np.array(scores), kind="stable")
    right = np.cumsum(np.array(hits)[order])
    recall, precision = right / count, right / np.arange(1, len(right) + 1)
    envelope = np.append(np.maximum.accumulate(precision[::-1])[::-1], 0.0)
    at = np.searchsorted(recall, RECALLS - 1e-12)
    return float(np.mean(envelope[np.minimum(at, len(right))]))
