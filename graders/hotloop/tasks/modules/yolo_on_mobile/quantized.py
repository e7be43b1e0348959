"""The detector quantized to 8-bit integers: check its structure and its mAP."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.artifact import Assignment, file_written
from hotloop.judge.calls import TensorSpec
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.fault import JudgeFault
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile
from hotloop.judge.rungs.assertions import Assertion
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.session import Session
from hotloop.tasks.modules.yolo_on_mobile.given_files import program
from hotloop.tasks.modules.yolo_on_mobile.precision import mean_average_precision, score_change

PROGRAM = program("detecting.py")

FILE = "quantized.onnx"
CALIBRATION = 150
SIDE, BOXES, CLASSES = 128, 1008, 6
LEAST_SHARE_INTEGER = 0.95
MOST_SHARE_OF_SIZE = 0.5
PICTURES, AT_ONCE = 300, 100
MOST_LOST = 0.04
"""Largest allowed loss of mAP at IoU 0.5."""

MOST_CHANGED = 0.08
"""Mean change of the scores of boxes that an app would show. If scores have only three levels, each
is off by a sixth or more."""

Facts = Mapping[str, Any]


@dataclass(frozen=True)
class Material:
    """The candidate's inputs in a session: the float32 ONNX file and an .npz of frames."""

    network: bytes
    frames: bytes


def looks(
    session: Session, mismatch: Callable[[bytes, Session], str | None]
) -> Iterator[Assertion]:
    """Check the quantized file, which is made once per session."""
    yield Assertion(
        "Your network",
        lambda: mismatch(session.once("quantized", lambda: _made(session)), session),
    )


def structure_mismatch(data: bytes, session: Session) -> str | None:
    """Return what shows that the file is not the quantized network, or None.

    Only its structure is read; its outputs are not checked here.
    """
    facts = PROGRAM.given(session, "reads").ask("structure", GivenFile(FILE, data))
    if not isinstance(facts, dict):
        return "it is no network"
    return mismatch_of(cast(Facts, facts), len(data), material(session))


def mismatch_of(facts: Facts, size: int, given: Material) -> str | None:
    """Return what is wrong with a file, judged by its structure and its size in bytes, or None."""
    if facts["external"]:
        return "its weights lie in another file, which was not handed in"
    if facts["inputs"] != ["pictures"] or facts["outputs"] != ["table"]:
        return "its input is to be “pictures” and its output “table”, as the source's are"
    kinds = as_list(facts["convolutions"])
    if len(kinds) < 50:
        return f"it has {len(kinds)} convolutions, and the source more than 50"
    right = sum(as_list(kind) == ["static", "static"] for kind in kinds)
    if right < LEAST_SHARE_INTEGER * len(kinds):
        bad = as_list(next(kind for kind in kinds if as_list(kind) != ["static", "static"]))
        said = {"float": "floats go into it", "dynamic": "what goes into it is scaled anew"}
        why = said.get(str(bad[0]), "its weights are floats")
        return f"{len(kinds) - right} of {len(kinds)} convolutions have no integers: {why}"
    if size > MOST_SHARE_OF_SIZE * len(given.network):
        return f"it has {size / len(given.network):.2f} of the float32 network's bytes"
    return None


def accuracy_mismatch(data: bytes, session: Session) -> str | None:
    """Compare the mAP of both files on the same hidden scenes.

    Returns a message or None. Raises JudgeFault if the float32 network's own mAP is below 0.5.
    """
    files = {"float32": material(session).network, "integers": data}
    tables: dict[str, list[Floats]] = {name: [] for name in files}
    runners = {name: _running(session, name, file) for name, file in files.items()}
    objects: list[Floats] = []
    for _ in range(PICTURES // AT_ONCE):
        seed = int(session.rng().integers(1 << 31))
        corners = as_list(PROGRAM.trusted(session).ask("objects", seed, AT_ONCE, SIDE))
        objects += [np.array(each, np.float64).reshape(-1, 5) for each in corners]
        pictures = PROGRAM.trusted(session).answer("pictures", _case("pictures", seed))
        for name, process in runners.items():
            case = Case(
                "pictures",
                (Tensor(pictures, FP32),),
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


def material(session: Session) -> Material:
    """Return the candidate's inputs in this session."""
    return session.once("material", lambda: _material(session))


def _material(session: Session) -> Material:
    maker = PROGRAM.trusted(session)
    seed = int(session.rng().integers(1 << 31))
    frames = maker.take(maker.ask("calibration", seed, CALIBRATION))
    return Material(maker.take(maker.ask("source")), frames)


def _made(session: Session) -> bytes:
    given = material(session)
    files = (GivenFile("detector.onnx", given.network), GivenFile("calibration.npz", given.frames))
    return file_written(Assignment("Your network", files, FILE, lambda _data: None), session)


def _running(session: Session, purpose: str, file: bytes) -> Process:
    process = PROGRAM.given(session, purpose)
    process.ask("load", GivenFile(FILE, file))
    return process


def _case(label: str, seed: int) -> Case:
    return Case(label, (seed,), TensorSpec((AT_ONCE, 3, SIDE, SIDE), FP32))
