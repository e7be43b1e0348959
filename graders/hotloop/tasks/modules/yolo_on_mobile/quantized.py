"""The detector quantized to 8-bit integers: check its structure and its mAP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.onnx.programs import RUNNER, Facts, facts_of
from hotloop.judge.onnx.quantized import Material, Quantization
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile.given_files import program
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES, boxes
from hotloop.tasks.modules.yolo_on_mobile.precision import mean_average_precision, score_change

PROGRAM = program("detecting.py", "eager.py", "exporting.py")
QUANTIZATION = Quantization(PROGRAM, "detector.onnx", count=150)
FILE = QUANTIZATION.file()

SIDE = 128
BOXES = boxes(SIDE, SIDE)
LEAST_SHARE_INTEGER = 0.95
MOST_SHARE_OF_SIZE = 0.5
PICTURES, AT_ONCE = 300, 20
MOST_LOST = 0.04
"""Largest allowed loss of mAP at IoU 0.5."""

MOST_CHANGED = 0.08
"""Mean change of the scores of boxes that an app would show. If scores have only three levels, each
is off by a sixth or more."""


def structure_mismatch(file: GivenFile, material: Material, session: Session) -> str | None:
    """Return what shows that the file is not the quantized network, or None.

    Only its structure is read; its outputs are not checked here.
    """
    kinds = as_list(PROGRAM.given(session, "reads").ask("structure", file))
    share = len(file.data) / len(material.network.data)
    return mismatch_of(facts_of(file, session), cast(Sequence[Mapping[str, Any]], kinds), share)


def mismatch_of(facts: Facts, kinds: Sequence[Mapping[str, Any]], share: float) -> str | None:
    """Return what is wrong with a file, judged by its structure, or None.

    kinds: of the convolutions' operands. share: the file's size over the float32 network's.
    """
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    ends = [[name for name, *_ in facts[end]] for end in ("inputs", "outputs")]
    if ends != [["pictures"], ["table"]]:
        return "its input is to be “pictures” and its output “table”, as the source's are"
    if len(kinds) < 50:
        return f"it has {len(kinds)} convolutions, and the source more than 50"
    bad = [kind for kind in kinds if {kind["activation"], kind["weight"]} != {"static"}]
    if len(kinds) - len(bad) < LEAST_SHARE_INTEGER * len(kinds):
        reasons = {"float": "floats go into it", "dynamic": "what goes into it is scaled anew"}
        why = reasons.get(str(bad[0]["activation"]), "its weights are floats")
        return f"{len(bad)} of {len(kinds)} convolutions have no integers: {why}"
    if share > MOST_SHARE_OF_SIZE:
        return f"it has {share:.2f} of the float32 network's bytes"
    return None


def accuracy_mismatch(file: GivenFile, material: Material, session: Session) -> str | None:
    """Compare the mAP of both files on the same hidden scenes.

    Returns a message or None. Raises JudgeFault if the float32 network's own mAP is below 0.5.
    """
    files = {"float32": material.network, "integers": file}
    tables: dict[str, list[Floats]] = {name: [] for name in files}
    runners = {name: _running(session, name, file) for name, file in files.items()}
    objects: list[Floats] = []
    for _ in range(PICTURES // AT_ONCE):
        number = seed(session.rng())
        objects += objects_of(session, number, AT_ONCE)
        images = TensorSpec((AT_ONCE, 3, SIDE, SIDE), FP32)
        pictures = QUANTIZATION.generated(session, "pictures", number, images)
        for name, process in runners.items():
            case = Case(
                "pictures",
                (InputTensor(pictures, FP32),),
                TensorSpec((AT_ONCE, BOXES, 5 + CLASSES), FP32),
            )
            tables[name].append(process.answer("run", case))
    floats, integers = (np.concatenate(tables[name]) for name in files)
    before, after = (mean_average_precision(each, objects, CLASSES) for each in (floats, integers))
    if before < 0.5:
        raise JudgeFault(f"the network itself has an mAP of {before:.2f}")
    return too_much_lost(before, after, score_change(floats, integers))


def too_much_lost(
    before: float, after: float, change: float, pictures: int = PICTURES
) -> str | None:
    """Return a message if too much mAP is lost or scores changed too much, else None. NaN fails."""
    if not before - after <= MOST_LOST:
        return (
            f"on {pictures} hidden scenes its mAP is {after:.3f}, and {before:.3f} with float32: "
            f"{MOST_LOST:g} may be lost"
        )
    if not change <= MOST_CHANGED:
        return (
            f"it finds the objects, but scores have changed by {change:.2f} on average, and "
            f"{MOST_CHANGED:g} is allowed: no threshold of the app means what it did"
        )
    return None


def objects_of(session: Session, seed: int, count: int, side: int = SIDE) -> list[Floats]:
    """Return the objects in a seed's images: for each [n, 5], corners and class."""
    corners = as_list(PROGRAM.trusted(session).ask("objects", seed, count, side))
    return [np.array(each, np.float64).reshape(-1, 5) for each in corners]


def _running(session: Session, purpose: str, file: GivenFile) -> Process:
    process = RUNNER.given(session, purpose)
    process.ask("load", file)
    return process
