"""The network in ONNX Runtime against PyTorch, for the eight crops of one frame.

Eight pictures of 64×64 are what one frame of the camera gives. One picture alone would be half a
millisecond's work for ONNX Runtime, and what is measured then is how fast Python calls.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.checks.resnet_tensorrt import session_options
from hotloop.checks.resnet_tensorrt.given_files import PROGRAMS, network_files, program
from hotloop.checks.resnet_tensorrt.network_cost import CLASSES, flops
from hotloop.judge.artifact import Assignment, made
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.link import Link
from hotloop.judge.program import Program
from hotloop.judge.questions import GivenFile
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.rungs.holds import Look
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.session import Session
from hotloop.judge.window import Workload

Rng = np.random.Generator

CROPS, SIDE = 8, 64
FILE = "network.onnx"
SHARE = 1e-3
"""How far a logit may be off, as a part of the largest one of the same call: float32 sums in
another order, through 53 convolutions, stay a hundred times below it, bfloat16 far above."""


def runner() -> Program:
    """What runs the candidate's file."""
    return Program({"ort_session.py": PROGRAMS / "ort_session.py"}, "ort_session.py")


def eager() -> Program:
    """The network in PyTorch, which gives the reference logits."""
    return program("eager.py")


def referee() -> Referee:
    """The same, for timed calls."""
    return Referee(eager().files, eager().main)


def looks(session: Session) -> Iterator[Look]:
    """At the file that `prepare` writes: with several batches, also such as it was not exported
    with. It is made once a judging: an export takes longer than everything that is done with it.
    """

    yield Look("Your network", lambda: _mismatch(_prepared(session), session))


def fast() -> RefereedFast:
    """The candidate's file and options against the network in PyTorch."""
    measured = Fast(
        Workload(lambda _rng, _index: spec(CROPS), _fill),
        Baseline(PROGRAMS / "eager.py", "run", beside=network_files()),
        lambda call: call.out.bytes,
        fewest_flops=lambda _spec: flops(CROPS, SIDE),
        entrant=_entrant,
        after=("correct", "settings"),
    )
    return RefereedFast(measured, referee(), "run", disagreement)


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """What is wrong with logits, as a sentence's beginning."""
    allowed = Tolerance(relative=0.0, absolute=SHARE * max(1.0, float(np.abs(want).max())))
    found = compare(got, want, allowed)
    return None if found is None else f"the logits are others: {found.sentence()}"


def _prepared(session: Session) -> bytes:
    task = Assignment("Your network", (), FILE, lambda _data: None)
    return session.once("prepared", lambda: made(task, session))


def _entrant(session: Session) -> tuple[Link, Candidate]:
    """A program of ours that has the candidate's file; what is the candidate's own has ended."""
    data = _prepared(session)
    options = session_options.chosen(session.of("session_options"))
    session.worker().close()
    process = runner().another(session, given=True)
    process.ask("load", GivenFile(FILE, data), options)
    process.resolve("run")
    return process.link, process.as_candidate("run")


def _mismatch(data: bytes, session: Session) -> str | None:
    process = runner().given(session, "runs the network")
    process.ask("load", GivenFile(FILE, data), session_options.plain(session.launcher.threads))
    rng = session.rng()
    for count in (CROPS, 1, 3):
        pictures = rng.normal(0.0, 1.0, (count, 3, SIDE, SIDE))
        case = Case(f"{count} pictures", (Tensor(pictures, FP32),), spec(count).out)
        want = eager().trusted(session).answer("run", case)
        found = disagreement(case, process.answer("run", case), want)
        if found is not None:
            return f"for {count} picture{'s' if count > 1 else ''} {found}"
    return None


def spec(count: int) -> CallSpec:
    """float32 [count, 3, side, side] to float32 [count, classes]."""
    pictures = TensorSpec((count, 3, SIDE, SIDE), FP32)
    return CallSpec((pictures,), TensorSpec((count, CLASSES), FP32))


def _fill(rng: Rng, call: Call, hostile: bool) -> None:
    """Noise as bright as signs are; adversarial: crops of one colour each, some over-exposed."""
    (pictures,) = call.inputs()
    pictures[...] = rng.standard_normal(pictures.shape, dtype=np.float32)
    if hostile:
        pictures[...] = rng.uniform(-2.0, 8.0, (len(pictures), 3, 1, 1))
