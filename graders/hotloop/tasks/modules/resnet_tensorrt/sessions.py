"""Checks of the network in ONNX Runtime against PyTorch, for the eight crops of one frame.

One camera frame gives eight images of 64×64. A single image takes ONNX Runtime half a millisecond,
so that Python's call overhead would dominate the measurement.
"""

from __future__ import annotations

import numpy as np

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.answers import Answers
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx import session_options
from hotloop.judge.onnx.programs import RUNNER, entrant
from hotloop.judge.oracle import Oracle
from hotloop.judge.ordered_file import OrderedFile
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks.modules.resnet_tensorrt.given_files import PROGRAMS, network_files, program
from hotloop.tasks.modules.resnet_tensorrt.network_cost import CLASSES, flops

Rng = np.random.Generator

CROPS, SIDE = 8, 64
SHARE = 1e-3
"""Allowed error of a logit, as a share of the call's largest (at least 1). float32 sums in another
order, through 53 convolutions, stay a hundred times below it; bfloat16 is far above.
"""


FILE = OrderedFile("network.onnx", lambda _session: None, lambda _: (), "Your network")
"""What `prepare` writes, once for all checks: exporting takes longer than everything else."""

SETTINGS = Answers(session_options.questions, entry="session_options", after=("correct",))


EAGER = program("eager.py")
"""The network in PyTorch, which computes the reference logits."""

ORACLE = Oracle(EAGER.files, EAGER.main)
"""The same network as the oracle of timed calls."""


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return what is wrong with the logits, as a message fragment, or None."""
    wrong = compare(got, want, Tolerance.of_largest(SHARE, want, least=1.0))
    return None if wrong is None else f"the logits are others: {wrong.sentence()}"


def mismatch(file: GivenFile, _order: None, session: Session) -> str | None:
    """Return the first batch size for which the file gives other logits, or None."""
    process = RUNNER.given(session, "runs the network")
    process.ask("load", file, session_options.plain(session.launcher.threads))
    rng = session.rng()
    for count in (CROPS, 1, 3):
        pictures = rng.normal(0.0, 1.0, (count, 3, SIDE, SIDE))
        case = Case(f"{count} pictures", (InputTensor(pictures, FP32),), spec(count).out)
        want = EAGER.trusted(session).answer("run", case)
        wrong = disagreement(case, process.answer("run", case), want)
        if wrong is not None:
            return f"for {count} picture{'s' if count > 1 else ''} {wrong}"
    return None


def _entrant(session: Session) -> tuple[WorkerConnection, Candidate]:
    file = FILE.file(session)
    return entrant(session, file, session_options.chosen(session.of("session_options")))


def spec(count: int) -> CallSpec:
    """Take float32 [count, 3, side, side]; return float32 [count, classes]."""
    pictures = TensorSpec((count, 3, SIDE, SIDE), FP32)
    return CallSpec((pictures,), TensorSpec((count, CLASSES), FP32))


def _fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill in noise as bright as signs; hostile: one color for each crop, some overexposed."""
    (pictures,) = call.inputs()
    pictures[...] = rng.standard_normal(pictures.shape, dtype=np.float32)
    if hostile:
        pictures[...] = rng.uniform(-2.0, 8.0, (len(pictures), 3, 1, 1))


FAST = Fast(
    Workload(lambda _rng, _index: spec(CROPS), _fill),
    Baseline(PROGRAMS / "eager.py", "run", beside=network_files()),
    lambda call: call.out.bytes,
    fewest_flops=lambda _spec: flops(CROPS, SIDE),
    entrant=_entrant,
    after=("correct", "settings"),
    oracle=ORACLE.function("run", disagreement),
)
"""Times the candidate's file and options against PyTorch."""
