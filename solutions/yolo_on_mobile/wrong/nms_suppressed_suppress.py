"""Lets a box suppress others that was suppressed itself: a row of objects loses its third.

fails: nms.suppressed
"""


### BEGIN SOLUTION yolo_on_mobile.nms
def nms(path, floor, overlap, most):
    found = candidates(np.load(path).astype(np.float64), floor)
    kept = []
    for place, box in enumerate(found):
        surer = found[:place][found[:place, 5] == box[5]]
        if (shares(box, surer) <= overlap).all():
            kept.append(box)
    return [box.tolist() for box in kept[:most]]


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
