"""An ONNX file within a device card's limits: its cost, its mAP and its speed.

The candidate chooses the image side. The limits are sampled so that one side is the largest that
fits, and the mAP floor so that every smaller side falls short.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx.programs import Facts, entrant, facts_of
from hotloop.judge.onnx.quantized import distance_mismatch
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.oracle import Oracle
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile, ask_plainly
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import NO_PROTOCOL, WorkerConnection, readable
from hotloop.tasks.modules.yolo_on_mobile.audits import PROGRAM as AUDITING
from hotloop.tasks.modules.yolo_on_mobile.given_files import PROGRAMS, program
from hotloop.tasks.modules.yolo_on_mobile.network_cost import (
    ANCHORS,
    CLASSES,
    STRIDES,
    TILE,
    boxes,
    flops,
)
from hotloop.tasks.modules.yolo_on_mobile.precision import mean_average_precision
from hotloop.tasks.modules.yolo_on_mobile.quantized import QUANTIZATION, objects_of
from hotloop.tasks.modules.yolo_on_mobile.speeds import tiles

Rng = np.random.Generator

FITTING = program("fitting.py", "eager.py", "exporting.py")
SIDES = (96, 128)
"""The largest side that fits a card is one of these."""

FLOORS = {96: 0.78, 128: 0.94}
"""Required mAP for each side, between that side's mAP and that of the next smaller one. Sides 64,
96 and 128 reach 0.56, 0.9 and 0.98."""

SHARE_OF_BYTES = 0.42
PEAK = {96: 327_712, 128: 393_248, 160: 614_432}
"""Peak activation memory by side, in bytes. While SiLU multiplies, the stem's float32 feature map
is in memory three times: 24 bytes per image pixel. For small images, the largest weight and the
tensors alive with it dominate."""

CROSSING_PER_PIXEL = 15
PICTURES = 300
TIMEOUT_S = 240.0
MOST_DISTANCE = 0.2
"""Largest relative L2 distance between the maps and those of float32."""

OPERATORS: Mapping[str, Mapping[str, Any]] = {
    "Conv": {"largest_kernel": 6, "groups": False},
    "MaxPool": {"largest_kernel": 5},
    **{op: {} for op in ("Add", "Concat", "Constant", "Mul", "Resize", "Sigmoid")},
    **{op: {} for op in ("QuantizeLinear", "DequantizeLinear")},
}


@dataclass(frozen=True)
class DeviceCard:
    """A device card. side: the largest image side that fits its limits."""

    side: int
    limits: Mapping[str, int]

    @property
    def text(self) -> str:
        """The card as JSON, as the candidate receives it."""
        floor = FLOORS[self.side]
        limits = {"operators": OPERATORS, "limits": self.limits, "map": floor}
        return json.dumps({"name": "the phone", **limits})


def card_of(rng: Rng, side: int, source_bytes: int) -> DeviceCard:
    """Sample limits slightly above what `side` needs and below what the next larger side needs."""
    return DeviceCard(
        side,
        {
            "bytes": int(SHARE_OF_BYTES * source_bytes),
            "peak_bytes": int(rng.uniform(1.02 * PEAK[side], 0.98 * PEAK[side + TILE])),
            "segments": 1,
            "crossing_bytes": int(rng.uniform(1.0, 1.3) * CROSSING_PER_PIXEL * side**2),
        },
    )


def _order(session: Session) -> tuple[DeviceCard, GivenFile]:
    """Return this session's card and calibration frames."""
    rng, material = session.rng(), QUANTIZATION.material(session)
    return card_of(rng, int(rng.choice(SIDES)), len(material.network.data)), material.frames


FILE = OrderedFile(
    "fitted.onnx",
    _order,
    lambda order: (GivenFile("card.json", order[0].text.encode()), order[1]),
    timeout_s=TIMEOUT_S,
)


def card(session: Session) -> DeviceCard:
    """Return this session's card, sampled at the first call."""
    return FILE.ordered(session)[0]


def card_mismatch(_file: GivenFile, _order: object, session: Session) -> str | None:
    """Return what of the file's structure and cost does not fit the card, or None."""
    return mismatch_of(_facts(session), card(session))


def mismatch_of(facts: Facts, limits: DeviceCard) -> str | None:
    """Return what is wrong with a file, judged by its facts, as a sentence's start, or None."""
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    if facts["checker"] is not None:
        return f"onnx.checker does not accept it: {readable(facts['checker'], 120)}"
    if "unknown" in facts:
        return f"nobody knows before it runs how large {readable(facts['unknown'], 40)} is"
    side = _side(facts)
    if side is None:
        return (
            f"its inputs are {readable(facts['inputs'], 120)}, and should be “pictures”, float32 "
            "[1, 3, side, side], with a side that 32 divides"
        )
    wanted = [
        [name, "FLOAT", [1, ANCHORS * (5 + CLASSES), side // stride, side // stride]]
        for name, stride in zip(("small", "middle", "large"), STRIDES, strict=True)
    ]
    if sorted(facts["outputs"]) != sorted(wanted):
        return f"its outputs are {readable(facts['outputs'], 160)}, and should be {wanted}"
    if facts["refused"]:
        return f"the delegate does not take {', '.join(map(str, facts['refused'][:6]))}"
    for key, most in limits.limits.items():
        if facts[key] > most:
            return f"its {key} are {facts[key]}, and the card allows {most}"
    return None


def sight_mismatch(file: GivenFile, _order: object, session: Session) -> str | None:
    """Return a message if the mAP on hidden scenes of the file's own image size is too low."""
    side = cast(int, _side(_facts(session)))
    number = seed(session.rng())
    pictures = TensorSpec((PICTURES, 3, side, side), FP32)
    scenes = QUANTIZATION.generated(session, "pictures", number, pictures)
    objects = objects_of(session, number, PICTURES, side)
    process = FITTING.given(session, "sees")
    process.ask("load", file, 1)
    table = TensorSpec((PICTURES, boxes(side, side), 5 + CLASSES), FP32)
    got = process.answer("tables", Case("scenes", (InputTensor(scenes, FP32),), table))
    return floor_mismatch(mean_average_precision(got, objects, CLASSES), FLOORS[card(session).side])


def floor_mismatch(precision: float, floor: float) -> str | None:
    """Return a message if the mAP is below `floor` or NaN, else None."""
    if precision >= floor:
        return None
    return f"its mAP is {precision:.3f}, and the card asks for {floor:g}"


@check(after=("card", "sees"), timed=True, scored_by="levels")
def fast(session: Session) -> str:
    """Time the file against an exporter's float32 file of the same side, both in ONNX Runtime."""
    side = cast(int, _side(_facts(session)))
    workload = Workload(lambda _rng, _index: _maps(side), _fill)
    measured = Fast(
        workload,
        Baseline(PROGRAMS / FITTING.main, "as_it_was", beside=FITTING.files, prepare=_load_source),
        lambda call: call.out.bytes,
        fewest_flops=lambda _spec: flops(side, side),
        entrant=lambda session: entrant(
            session, FILE.file(session), session.launcher.threads, runner=FITTING
        ),
        baseline_workload=replace(workload, verify=_nothing),
        oracle=Oracle(FITTING.files, FITTING.main).function("truth", distant),
    )
    return measured(session)


def distant(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return what is wrong with the quantized maps as the start of a sentence, or None."""
    return distance_mismatch(got, want, MOST_DISTANCE, "maps")


def _load_source(worker: WorkerConnection, session: Session) -> None:
    maker = FITTING.trusted(session)
    data = maker.take(maker.ask("source", card(session).side))
    worker.resolve("load_source", "fitting.py", TIMEOUT_S)
    ask_plainly(worker, (GivenFile("detector.onnx", data), session.launcher.threads), TIMEOUT_S)


def _facts(session: Session) -> Facts:
    """Return what is in the file, and what it costs on the card's device."""

    def read() -> Facts:
        file = FILE.file(session)
        cost = AUDITING.given(session, "reads").ask("cost", file, card(session).text)
        if not isinstance(cost, dict):
            raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
        return facts_of(file, session) | cast(Facts, cost)

    return session.once("facts of the fitted file", read)


def _side(facts: Facts) -> int | None:
    """Return the side of the square input image, or None if the input is another one.

    Required is one input “pictures”, float32 [1, 3, side, side], with a multiple of TILE as side.
    """
    if len(facts["inputs"]) != 1 or facts["inputs"][0][:2] != ["pictures", "FLOAT"]:
        return None
    shape = facts["inputs"][0][2]
    if len(shape) != 4 or shape[:2] != [1, 3] or shape[2] != shape[3] or shape[2] % TILE:
        return None
    return int(shape[2]) or None


def _maps(side: int) -> CallSpec:
    numbers = boxes(side, side) * (5 + CLASSES)
    return CallSpec((TensorSpec((1, 3, side, side), FP32),), TensorSpec((numbers,), FP32))


def _fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    """Fill in images without overexposure.

    Values beyond the calibration range are not a fault of the speed.
    """
    (pictures,) = call.inputs()
    pictures[...] = tiles(rng, pictures.shape)


def _nothing(_call: PlacedCall, _rows: Any) -> None:
    """Accept any output: the baseline is Hotloop's own program."""
