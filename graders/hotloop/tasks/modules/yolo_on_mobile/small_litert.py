"""The detector in LiteRT with 8-bit weights: check its size and its mAP."""

from __future__ import annotations

from collections.abc import Iterator

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import Case
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.program import Process
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES
from hotloop.tasks.modules.yolo_on_mobile.precision import mean_average_precision, score_change
from hotloop.tasks.modules.yolo_on_mobile.quantized import (
    BOXES,
    QUANTIZATION,
    SIDE,
    objects_of,
    too_much_lost,
)
from hotloop.tasks.modules.yolo_on_mobile.runtimes import LITERT, channels_last

PICTURES = 150
MOST_OF_SIZE = 0.4


def looks(session: Session) -> Iterator[Assertion]:
    """Check its size relative to the float file, then its mAP."""
    yield Assertion("The small file", lambda: _size_mismatch(session))
    yield Assertion(f"{PICTURES} hidden scenes", lambda: _sight_mismatch(session))


def _size_mismatch(session: Session) -> str | None:
    (floats,) = LITERT.files(session, (SIDE, SIDE))
    (small,) = LITERT.files(session.of("to_small_litert"), (SIDE, SIDE))
    share = len(small.data) / len(floats.data)
    if share > MOST_OF_SIZE:
        return f"it has {share:.2f} of the float file's bytes, and {MOST_OF_SIZE} is allowed"
    return None


def _sight_mismatch(session: Session) -> str | None:
    files = LITERT.files(session.of("to_small_litert"), (SIDE, SIDE))
    return sight_mismatch(LITERT.process(session, "sees", files), session)


def sight_mismatch(process: Process, session: Session) -> str | None:
    """Compare the mAP of a loaded file with the float32 network's; return a message or None."""
    number = seed(session.rng())
    objects = objects_of(session, number, PICTURES)
    images = TensorSpec((PICTURES, 3, SIDE, SIDE), FP32)
    pictures = QUANTIZATION.generated(session, "pictures", number, images)
    table = TensorSpec((PICTURES, BOXES, 5 + CLASSES), FP32)
    floats = QUANTIZATION.generated(session, "tables", number, table)
    integers = process.answer("run", Case("scenes", (channels_last(pictures),), table))
    before, after = (mean_average_precision(t, objects, CLASSES) for t in (floats, integers))
    return too_much_lost(before, after, score_change(floats, integers), PICTURES)
