"""Paddle's own MobileNetV1, rewritten, pruned and quantized: judged on accuracy and size."""

from __future__ import annotations

import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.core.wire import Message, as_message
from hotloop.judge.check import check
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.worker_connection import NO_PROTOCOL, reading
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.ssa_passes.networks import PROGRAMS, STRIPES

TRAINING = Program(
    {"mobilenet_training.py": PROGRAMS / "mobilenet_training.py", "stripes.py": STRIPES},
    "mobilenet_training.py",
)
RUNNING = Program(
    {"mobilenet_programs.py": PROGRAMS / "mobilenet_programs.py"}, "mobilenet_programs.py"
)
GIVEN, HIDDEN = 640, 1600
TIMEOUT_S = 150.0
CLOSE = 1e-3
"""How far a logit may be off, relative to the largest one: folding a batch norm rounds."""

MOST_LOST = 0.04
"""Allowed drop of the share of right answers on hidden pictures."""

FEWEST_QUANTIZERS = 28
"""A quantized input for each of 27 convolutions and the linear layer."""


@dataclass(frozen=True)
class Setting:
    """A trained network, pictures to work with, and hidden ones with their labels."""

    network: GivenFile
    pictures: GivenFile
    hidden: GivenFile
    labels: NDArray[np.int64]
    program: GivenFile


def _setting(session: Session) -> Setting:
    return session.once("a trained MobileNet", lambda: _made(session))


def _made(session: Session) -> Setting:
    training, running = TRAINING.trusted(session), RUNNING.trusted(session)
    seeds = [int(seed) for seed in session.rng().integers(1 << 30, size=3)]
    network = training.take(training.ask("started", seeds[0], timeout_s=TIMEOUT_S))
    pictures = training.take(training.ask("pictures", seeds[1], GIVEN))
    with np.load(io.BytesIO(training.take(training.ask("pictures", seeds[2], HIDDEN)))) as arrays:
        labels = np.array(arrays["labels"])
        stream = io.BytesIO()
        np.savez(stream, images=arrays["images"])
    given = GivenFile("network.npz", network)
    return Setting(
        given,
        GivenFile("pictures.npz", pictures),
        GivenFile("hidden.npz", stream.getvalue()),
        labels,
        GivenFile("published.zip", running.take(running.ask("exported", given))),
    )


def _opened(entry: str, setting: Setting, session: Session) -> Process:
    """Return the process with the published program and the candidate's, which `entry` wrote."""
    calibrated = () if entry == "rewritten" else (setting.pictures,)
    data = file_written(
        Assignment("The program", (setting.network, *calibrated), "network.zip", lambda _: None),
        session.of(entry),
        TIMEOUT_S,
    )
    process = RUNNING.given(session, entry)
    process.ask("opened", "published", setting.program)
    process.ask("opened", "yours", GivenFile("network.zip", data))
    return process


def _logits(process: Process, setting: Setting, name: str) -> NDArray[np.float64]:
    with reading():
        scores = np.array(process.ask("logits", name, setting.hidden), np.float64)
    if scores.shape != (HIDDEN, 4):
        raise Ruling(Verdict.WRONG_ANSWER, f"Your program's answer has the shape {scores.shape}.")
    return scores


def _facts(process: Process) -> Message:
    facts = as_message(process.ask("facts", "yours"))
    if facts is None:
        raise Ruling(Verdict.TAMPERED, NO_PROTOCOL)
    return facts


def _share(scores: NDArray[np.float64], setting: Setting) -> float:
    return float((scores.argmax(1) == setting.labels).mean())


def _require_accurate(got: float, want: float, session: Session) -> str:
    session.note(accuracy=got, published_accuracy=want)
    sentence = f"right on {got:.1%} of {HIDDEN:,} hidden pictures, the published one on {want:.1%}"
    if want - got > MOST_LOST:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"It is {sentence}: at most {100 * MOST_LOST:g} percentage points may be lost.",
        )
    return sentence


@check()
def same(session: Session) -> str:
    """The rewritten program has no batch norm and the published network's logits."""
    setting = _setting(session)
    process = _opened("rewritten", setting, session)
    operations = as_message(_facts(process).get("operations")) or {}
    norms = sum(int(str(count)) for name, count in operations.items() if "batch_norm" in name)
    if norms:
        raise Ruling(Verdict.WRONG_ANSWER, f"{norms} batch norms are left in your program.")
    want, got = (_logits(process, setting, name) for name in ("published", "yours"))
    worst = np.unravel_index(int(np.argmax(np.abs(got - want))), got.shape)
    if not abs(got[worst] - want[worst]) <= CLOSE * float(np.abs(want).max()):
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"For a hidden picture a logit is {got[worst]:.6g} and should be {want[worst]:.6g}.",
        )
    return f"No batch norm, and the same logits for {HIDDEN:,} hidden pictures."


@check()
def sparse(session: Session) -> str:
    """Two of four weights along the inputs are 0, and the network is nearly as accurate."""
    setting = _setting(session)
    data = file_written(
        Assignment("The arrays", (setting.network, setting.pictures), "pruned.npz", lambda _: None),
        session.of("pruned"),
        TIMEOUT_S,
    )
    process = RUNNING.given(session, "pruned")
    file = GivenFile("pruned.npz", data)
    wrong = process.ask("dense", file, setting.network)
    if wrong is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"In your network {wrong}.")
    process.ask("opened", "published", setting.program)
    with reading():
        got = np.array(process.ask("sparse_logits", file, setting.hidden), np.float64)
    want = _share(_logits(process, setting, "published"), setting)
    return f"2:4 sparse, and {_require_accurate(_share(got, setting), want, session)}."


@check()
def int8(session: Session) -> str:
    """All weights and all inputs of layers are int8, and the network is nearly as accurate."""
    setting = _setting(session)
    process = _opened("quantized", setting, session)
    facts = _facts(process)
    with reading():
        weights, whole = int(str(facts["weights"])), int(str(facts["in_int8"]))
        operations = as_message(facts["operations"]) or {}
        quantizers = int(str(operations.get("pd_op.quantize_linear", 0)))
    if whole < weights or weights < FEWEST_QUANTIZERS:
        raise Ruling(Verdict.WRONG_ANSWER, f"{whole} of {weights} weights are numbers of int8.")
    if quantizers < FEWEST_QUANTIZERS:
        raise Ruling(
            Verdict.WRONG_ANSWER,
            f"{quantizers} inputs are quantized, where {FEWEST_QUANTIZERS} layers have one each.",
        )
    want, got = (
        _share(_logits(process, setting, name), setting) for name in ("published", "yours")
    )
    size = f"{facts['bytes']} bytes of weights in int8"
    return f"{size}, and {_require_accurate(got, want, session)}."
