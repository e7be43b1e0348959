"""Takes the objectness for the score, and forgets how sure the class is.

fails: nms.scored
"""


### BEGIN SOLUTION yolo_on_mobile.nms
def nms(path, floor, overlap, most):
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
    scores = table[:, 4]
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
