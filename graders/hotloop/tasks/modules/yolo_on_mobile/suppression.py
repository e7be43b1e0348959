"""Non-maximum suppression (NMS) of tables of boxes."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.questions import GivenFile, Question, shown

Rng = np.random.Generator

TABLES = 12
MANY = 100
"""More boxes than any table has, so that nothing is cut off."""
MARGIN = 1e-4
"""No score is this close to the floor, and no IoU this close to the overlap limit."""

NAMES = ("left", "top", "right", "bottom", "score")


def questions(rng: Rng, *, crowded: bool) -> Iterator[Question]:
    """Yield tables of boxes: far apart, or crowded.

    Crowds are of one or several classes, some in chains, and every third table has more boxes than
    `most`. A chain is a row of boxes in which each overlaps only its neighbors: a suppressed box
    must not suppress others. Every crowded table exposes one of the two mistakes in the order of
    steps.
    """
    for number in range(TABLES):
        floor = float(rng.uniform(0.05, 0.3))
        overlap = float(rng.uniform(0.3, 0.6))
        most = int(rng.integers(3, 9)) if crowded and number % 3 == 0 else MANY
        table = _sampled(rng, floor, overlap, crowded)
        while crowded and not shows_the_order(table, floor, overlap, most):
            table = _sampled(rng, floor, overlap, crowded)
        want = nms(table, floor, overlap, most)
        want[:, 4] *= constant("POINTS", 1, range(2, 401))
        label = "Boxes in crowds" if crowded else "Boxes that lie apart"
        arguments = (GivenFile("table.npy", _stored(table)), floor, overlap, most)
        yield Question(label, arguments, partial(mismatch, want))


def nms(table: Floats, floor: float, overlap: float, most: int) -> Floats:
    """Return the boxes after NMS: float64 [n, 6]: corners, score, class, by falling score."""
    chosen = _chosen(_by_score(_corners(table), floor), overlap)
    return np.array(chosen[:most]).reshape(-1, 6)


def shows_the_order(table: Floats, floor: float, overlap: float, most: int) -> bool:
    """Return whether the table exposes a wrong order of steps.

    If `most` is small, the mistake is to cut to `most` boxes before suppression; otherwise it is to
    let suppressed boxes suppress others.
    """
    boxes = _by_score(_corners(table), floor)
    right = len(nms(table, floor, overlap, most))
    if most < MANY:
        return len(_chosen(boxes[:most], overlap)) < right
    return sum(_is_free(box, boxes[:place], overlap) for place, box in enumerate(boxes)) < right


def shows_the_classes(table: Floats, floor: float, overlap: float, most: int) -> bool:
    """Return whether the result differs if a box may count once per class instead of once."""
    each = np.concatenate([_corners(table, number) for number in range(table.shape[1] - 5)])
    boxes = np.array(_chosen(_by_score(each, floor), overlap)[:most])
    return not np.array_equal(boxes.reshape(-1, 6), nms(table, floor, overlap, most))


def _by_score(boxes: Floats, floor: float) -> list[Floats]:
    """Return corners, score and class of the boxes above the floor, by falling score."""
    boxes = boxes[boxes[:, 4] > floor]
    return list(boxes[np.argsort(-boxes[:, 4], kind="stable")])


def _chosen(boxes: Sequence[Floats], overlap: float) -> list[Floats]:
    chosen: list[Floats] = []
    for box in boxes:
        if _is_free(box, chosen, overlap):
            chosen.append(box)
    return chosen


def _is_free(box: Floats, surer: Sequence[Floats], overlap: float) -> bool:
    """Return whether no box of the same class in `surer` overlaps the box too much."""
    return all(shared(box, other) <= overlap for other in surer if other[5] == box[5])


def shared(a: Floats, b: Floats) -> float:
    """Return the intersection over union (IoU) of two boxes."""
    sides = np.maximum(np.minimum(a[2:4], b[2:4]) - np.maximum(a[:2], b[:2]), 0)
    both = np.prod(a[2:4] - a[:2]) + np.prod(b[2:4] - b[:2]) - np.prod(sides)
    return float(np.prod(sides) / both)


def mismatch(want: Floats, answer: object) -> str | None:
    """Return a message about the first difference in a list of boxes, or None."""
    if not isinstance(answer, list):
        return f"it is {shown(answer)}, not a list"
    got = as_list(answer)
    if len(got) != len(want):
        return f"{len(got)} boxes are left, and should be {len(want)}"
    for number, (box, right) in enumerate(zip(got, want, strict=True), start=1):
        difference = _box_mismatch(as_list(box), right)
        if difference is not None:
            return f"box {number} of {len(want)}: {difference}"
    return None


def _box_mismatch(box: list[object], right: Floats) -> str | None:
    values = [float(v) for v in box if isinstance(v, int | float) and not isinstance(v, bool)]
    if len(box) != 6 or len(values) != 6:
        return f"it is {shown(box)}, not six numbers"
    for name, value, want in zip(NAMES, values, right, strict=False):
        if not abs(value - want) <= 1e-5 * abs(want) + 1e-5:
            return f"its {name} is {value:.6g} and should be {want:.6g}"
    if values[5] != right[5]:
        return f"its class is {values[5]:g} and should be {right[5]:g}"
    return None


def _sampled(rng: Rng, floor: float, overlap: float, crowded: bool) -> Floats:
    while True:
        classes = int(rng.integers(2, 7))
        centers = _crowds(rng, overlap) if crowded else _apart(rng)
        table = np.zeros((len(centers), 5 + classes), np.float32)
        table[:, :4] = centers
        table[:, 4] = rng.uniform(0.02, 1, len(table))
        table[:, 5:] = rng.uniform(0, 0.4, (len(table), classes))
        # In a crowd most boxes share a class, and some get another one.
        mine = np.arange(len(table)) // 5 if crowded else np.arange(len(table))
        other = rng.random(len(table)) < 0.3
        chosen = (mine + other) % classes
        table[np.arange(len(table)), 5 + chosen] = rng.uniform(0.5, 1, len(table))
        table = table[rng.permutation(len(table))]
        if decided(table.astype(np.float64), floor, overlap):
            return table.astype(np.float64)


def _apart(rng: Rng) -> Floats:
    """Place one box in each cell of a coarse grid."""
    cells = rng.permutation(25)[: int(rng.integers(6, 20))]
    center = np.stack([cells % 5, cells // 5], 1) * 64 + rng.uniform(28, 36, (len(cells), 2))
    return np.concatenate([center, rng.uniform(8, 50, (len(cells), 2))], 1)


def _crowds(rng: Rng, overlap: float) -> Floats:
    """Sample clusters of five boxes, either around one place or in a chain."""
    crowds: list[Floats] = []
    for _ in range(int(rng.integers(3, 6))):
        center, size = rng.uniform(60, 260, 2), rng.uniform(30, 60, 2)
        if rng.random() < 0.5:
            # Neighbors overlap slightly more than is allowed.
            step = size[0] * (1 - overlap) / (1 + overlap) * 0.8
            moved = np.stack([np.arange(5) * step, np.zeros(5)], 1)
        else:
            moved = rng.normal(0, 0.15, (5, 2)) * size
        sizes = size * np.exp(rng.normal(0, 0.03, (5, 2)))
        crowds.append(np.concatenate([center + moved, sizes], 1))
    return np.concatenate(crowds)


def decided(table: Floats, floor: float, overlap: float) -> bool:
    """Return whether float32 and float64 must keep the same boxes of a table."""
    boxes = _corners(table)
    if (np.abs(boxes[:, 4] - floor) < MARGIN * floor).any():
        return False
    sure = boxes[:, 4] > floor
    likely = np.sort(table[sure, 5:], 1)
    if (likely[:, -1:] - likely[:, -2:-1] < MARGIN).any():
        return False
    boxes = boxes[sure]
    if (np.diff(np.sort(boxes[:, 4])) < MARGIN / 20).any():
        return False
    pairs = (
        shared(boxes[i], boxes[j]) - overlap
        for i in range(len(boxes))
        for j in range(i)
        if boxes[i, 5] == boxes[j, 5]
    )
    return all(abs(distance) > MARGIN for distance in pairs)


def _corners(table: Floats, number: int | None = None) -> Floats:
    """Return corners, score and class of each box: its best class, or class `number` if given."""
    half = table[:, 2:4] / 2
    classes = table[:, 5:].argmax(1) if number is None else np.full(len(table), number)
    scores = table[:, 4] * table[np.arange(len(table)), 5 + classes]
    corners = (table[:, :2] - half, table[:, :2] + half)
    return np.column_stack((*corners, scores, classes)).astype(np.float64)


def _stored(table: Floats) -> bytes:
    file = io.BytesIO()
    np.save(file, table.astype(np.float32))
    return file.getvalue()
