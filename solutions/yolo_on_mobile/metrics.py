"""How good detections are: mean average precision."""

import numpy as np

RECALLS = np.linspace(0, 1, 101)


def overlaps(a, b):
    """Intersection over union of each box of `a` with each of `b`; left, top, right, bottom."""
    low = np.maximum(a[:, None, :2], b[None, :, :2])
    high = np.minimum(a[:, None, 2:4], b[None, :, 2:4])
    shared = np.prod(np.maximum(high - low, 0), 2)
    areas = [np.prod(boxes[:, 2:4] - boxes[:, :2], 1) for boxes in (a, b)]
    return shared / np.maximum(areas[0][:, None] + areas[1][None] - shared, 1e-9)


def mean_average_precision(detections, truths, classes, threshold=0.5):
    """Mean over classes of the area under precision by recall, at 101 recalls as COCO has it.

    detections: for each picture float [n, 6]: left, top, right, bottom, score, class.
    truths: for each picture float [m, 5]: left, top, right, bottom, class.
    """
    each = [average_precision(detections, truths, c, threshold) for c in range(classes)]
    return float(np.mean([ap for ap in each if ap is not None]))


def average_precision(detections, truths, which, threshold=0.5):
    """Of one class; None when there is none of it. An object is found once, by the surest box."""
    scores, hits, objects = [], [], 0
    for found, true in zip(detections, truths, strict=True):
        found = np.asarray(found, np.float64).reshape(-1, 6)
        true = np.asarray(true, np.float64).reshape(-1, 5)
        mine, there = found[found[:, 5] == which], true[true[:, 4] == which]
        mine = mine[np.argsort(-mine[:, 4], kind="stable")]
        objects += len(there)
        shared = overlaps(mine, there)
        for place in range(len(mine)):
            best = int(shared[place].argmax()) if len(there) else -1
            hit = best >= 0 and shared[place, best] >= threshold
            if hit:
                shared[:, best] = -1
            scores.append(mine[place, 4])
            hits.append(hit)
    if not objects:
        return None
    if not scores:
        return 0.0
    order = np.argsort(-np.array(scores), kind="stable")
    right = np.cumsum(np.array(hits)[order])
    recall, precision = right / objects, right / np.arange(1, len(right) + 1)
    best = np.maximum.accumulate(precision[::-1])[::-1]
    at = np.searchsorted(recall, RECALLS - 1e-12)
    return float(np.mean(np.append(best, 0.0)[np.minimum(at, len(best))]))
