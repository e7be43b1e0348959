"""The detector in one file with decoding and NMS: check its interface and its boxes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx.programs import Facts, facts_of
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile, shown
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import readable
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES
from hotloop.tasks.modules.yolo_on_mobile.quantized import BOXES, PROGRAM, SIDE
from hotloop.tasks.modules.yolo_on_mobile.suppression import decided, nms, shows_the_classes

Rng = np.random.Generator
Limits = tuple[float, float]
"""Score floor and overlap limit."""

PICTURES = 40
MOST = (3, 6, 10)
TRIES = 40
MOST_OFF = 2e-3
"""In pixels, and in score; the same network in another runtime differs by a tenth of it."""

ROUNDED = 1e-3
"""Change of an overlap limit that must keep the same boxes. Where classes are moved apart by 7680
pixels, as YOLOv5 does it, float32 rounds an overlap by half of it."""

FILE = OrderedFile(
    "boxes.onnx",
    lambda session: int(session.rng().choice(MOST)),
    lambda most: (most,),
    lambda most: f"Your file of {most} boxes",
)


def interface_mismatch(file: GivenFile, most: int, session: Session) -> str | None:
    """Return what is wrong with its inputs and outputs (names, types, static sizes), or None."""
    facts = facts_of(file, session)
    version = constant("MODEL_VERSION", 0, range(2, 1000))
    if version and facts["version"] != version:
        return f"its model_version is {facts['version']} and should be {version}"
    return mismatch_of(facts, most)


def mismatch_of(facts: Facts, most: int) -> str | None:
    """Return what is wrong with a file's names, types and sizes, or None."""
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    if facts["checker"] is not None:
        return f"onnx.checker does not accept it: {shown(facts['checker'])}"
    if facts["foreign"]:
        return f"it has operators of {readable(facts['foreign'][0]['domain'], 40)}"
    wanted = {
        "inputs": [
            ["pictures", "FLOAT", [1, 3, SIDE, SIDE]],
            ["floor", "FLOAT", [1]],
            ["overlap", "FLOAT", [1]],
        ],
        "outputs": [["boxes", "FLOAT", [1, most, 6]], ["count", "INT64", [1]]],
    }
    for kind, want in wanted.items():
        got = sorted(cast(list[Any], facts[kind]))
        if got != sorted(want):
            return f"its {kind} are {readable(got, 160)}, and should be {sorted(want)}"
    return None


def boxes_mismatch(file: GivenFile, most: int, session: Session) -> str | None:
    """Compare its boxes on hidden images, with limits sampled for each; return an error or None."""
    trusted = PROGRAM.trusted(session)

    def tables_of(seed: int) -> list[Floats]:
        return list(trusted.answer("tables", _case(seed, (PICTURES, BOXES, 5 + CLASSES))))

    seed, tables, limits = sampled(session.rng(), tables_of, most)
    pictures = trusted.answer("pictures", _case(seed, (PICTURES, 3, SIDE, SIDE)))
    process = PROGRAM.given(session, "runs")
    process.ask("load", file)
    out = TensorSpec((PICTURES, most + 1, 6), FP32)
    case = Case("pictures", (InputTensor(pictures, FP32), InputTensor(np.array(limits), FP32)), out)
    got = process.answer("suppressed", case)
    for number, (boxes, table, pair) in enumerate(zip(got, tables, limits, strict=True), start=1):
        mismatch = picture_mismatch(boxes, nms(table, *pair, most))
        if mismatch is not None:
            return f"picture {number} of {PICTURES}: {mismatch}"
    return None


def picture_mismatch(got: Floats, want: Floats) -> str | None:
    """Return a message about the first wrong box, or None.

    got: [boxes + 1, 6]: the boxes, and as last row the count.
    """
    if got[-1, 0] != len(want):
        return f"“count” is {got[-1, 0]:g} and should be {len(want)}"
    for number, (box, right) in enumerate(zip(got, want, strict=False), start=1):
        if box[5] != right[5]:
            return f"box {number} has class {box[5]:g} and should have {right[5]:g}"
        # This comparison fails for NaN.
        if not np.abs(box - right).max() <= MOST_OFF:
            place = int(np.abs(box - right).argmax())
            return f"box {number}: {box[place]:.5g} should be {right[place]:.5g}"
    if np.abs(got[len(want) : -1]).sum() != 0:
        return "behind the last box there are to be zeros"
    return None


def sampled(
    rng: Rng, tables_of: Callable[[int], Sequence[Floats]], most: int
) -> tuple[int, Sequence[Floats], list[Limits]]:
    """Sample a seed, with its tables and limits, that exposes one score per class.

    Where `most` is small, not every set of forty images has a box whose class is uncertain.
    """
    while True:
        seed = int(rng.integers(1 << 31))
        tables = tables_of(seed)
        limits = [_limits(rng, table, most) for table in tables]
        pairs = zip(tables, limits, strict=True)
        if any(shows_the_classes(table, *pair, most) for table, pair in pairs):
            return seed, tables, limits


def _limits(rng: Rng, table: Floats, most: int) -> Limits:
    """Sample a floor and an overlap limit for which any float32 graph keeps the same boxes."""
    for _ in range(TRIES):
        floor = float(np.float32(10 ** rng.uniform(-2, -0.3)))
        overlap = float(np.float32(rng.uniform(0.3, 0.7)))
        near = (overlap - ROUNDED, overlap, overlap + ROUNDED)
        if decided(table, floor, overlap) and _alike([nms(table, floor, o, most) for o in near]):
            return floor, overlap
    return 0.999, 0.5


def _alike(kept_boxes: Sequence[Floats]) -> bool:
    return all(np.array_equal(each, kept_boxes[0]) for each in kept_boxes)


def _case(seed: int, shape: tuple[int, ...]) -> Case:
    return Case("pictures", (seed,), TensorSpec(shape, FP32))
