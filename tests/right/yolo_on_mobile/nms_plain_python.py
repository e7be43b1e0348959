"""Pure Python with named tuples; a class counts as a whole number."""


### BEGIN SOLUTION yolo_on_mobile.nms
from typing import NamedTuple


class Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float
    score: float
    kind: int

    @property
    def area(self):
        return (self.right - self.left) * (self.bottom - self.top)

    def overlap(self, other):
        wide = min(self.right, other.right) - max(self.left, other.left)
        high = min(self.bottom, other.bottom) - max(self.top, other.top)
        shared = max(wide, 0.0) * max(high, 0.0)
        return shared / (self.area + other.area - shared)


def box_of(row):
    x, y, width, height, objectness, *classes = row
    kind = max(range(len(classes)), key=classes.__getitem__)
    corners = (x - width / 2, y - height / 2, x + width / 2, y + height / 2)
    return Box(*corners, objectness * classes[kind], kind)


def nms(path, floor, overlap, most):
    boxes = [box_of(row) for row in np.load(path).tolist()]
    left = sorted((b for b in boxes if b.score > floor), key=lambda b: -b.score)
    kept = []
    for box in left:
        rivals = (other for other in kept if other.kind == box.kind)
        if len(kept) < most and all(box.overlap(other) <= overlap for other in rivals):
            kept.append(box)
    return kept


### END SOLUTION
