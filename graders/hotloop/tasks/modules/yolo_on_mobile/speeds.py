"""The detector in ONNX Runtime against PyTorch, one 384×640 frame at a time.

At its training size of 128 pixels a call takes a third of a millisecond, and Python's call overhead
dominates. The network is fully convolutional, so it accepts larger images.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.checks.answers import Answers
from hotloop.judge.checks.assertions import Assertion
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.onnx import session_options
from hotloop.judge.onnx.programs import RUNNER, entrant
from hotloop.judge.oracle import Oracle
from hotloop.judge.questions import GivenFile
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.judge.written_files import Assignment, file_written
from hotloop.tasks.modules.yolo_on_mobile.given_files import EAGER, PROGRAMS
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES, TILE, boxes, flops

Rng = np.random.Generator

SIZE = (384, 640)
FILE = "detector.onnx"
ENDS = ("pictures", "table")
PIXELS_OFF, SCORE_OFF = 0.05, 2e-3
"""Largest errors of a coordinate and of a probability. A different float32 summation order stays at
a tenth of them; bfloat16 exceeds them."""

SETTINGS = Answers(session_options.questions, entry="session_options", after=("correct",))


def looks(session: Session) -> Iterator[Assertion]:
    """Check the file at a sampled size and at the timed size."""
    rng = session.rng()
    short, long = (TILE * int(n) for n in (rng.integers(2, 5), rng.integers(6, 9)))
    for size in ((long, short), SIZE):
        yield Assertion(f"{size[0]}×{size[1]}", lambda size=size: _mismatch(session, size))


def fast() -> Fast:
    """Time the candidate's file and options against the network in PyTorch."""
    return Fast(
        Workload(lambda _rng, _index: spec(*SIZE), fill),
        Baseline(PROGRAMS / EAGER.main, "run", beside=EAGER.files),
        lambda call: call.out.bytes,
        fewest_flops=lambda _spec: flops(*SIZE),
        entrant=_entrant,
        after=("correct", "settings"),
        oracle=Oracle(EAGER.files, EAGER.main).function("run", disagreement),
    )


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return what is wrong with a table as the start of a sentence, or None. NaN is wrong."""
    for what, columns, most in (
        ("coordinate", slice(0, 4), PIXELS_OFF),
        ("probability", slice(4, None), SCORE_OFF),
    ):
        one, other = got[..., columns], want[..., columns]
        off = np.abs(one - other)
        if not (off <= most).all():
            place = np.unravel_index(int(np.nan_to_num(off, nan=np.inf).argmax()), off.shape)
            return (
                f"in row {place[-2]} of the table a {what} is {one[place]:.5g} "
                f"and should be {other[place]:.5g}"
            )
    return None


def spec(height: int, width: int) -> CallSpec:
    """Return the spec of a call: one image of the size to its table, both float32."""
    out = TensorSpec((1, boxes(height, width), 5 + CLASSES), FP32)
    return CallSpec((TensorSpec((1, 3, height, width), FP32),), out)


def fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill in one-color tiles with noise; adversarial: larger, overexposed, without noise."""
    (pictures,) = call.inputs()
    pictures[...] = tiles(rng, pictures.shape, hostile)


def tiles(rng: Rng, shape: tuple[int, ...], hostile: bool = False) -> np.ndarray:
    """Return images with edges and colors, float32 from 0 to 1; if `hostile`, from 0 to 2.5."""
    side = 2 * TILE if hostile else TILE
    count, channels, height, width = shape
    coarse = rng.random((count, channels, -(-height // side), -(-width // side)), np.float32)
    tiled = coarse.repeat(side, 2).repeat(side, 3)[:, :, :height, :width]
    if hostile:
        return 2.5 * tiled
    return np.clip(tiled + 0.05 * rng.standard_normal(shape, np.float32), 0, 1)


def file_of(session: Session, size: tuple[int, int]) -> GivenFile:
    """Return the file that the candidate exports for the size; made once per session."""
    assignment = Assignment("Your detector", size, FILE, lambda _data: None)
    data = session.once(f"prepared {size}", lambda: file_written(assignment, session))
    return GivenFile(FILE, data)


def _entrant(session: Session) -> tuple[WorkerConnection, Candidate]:
    file = file_of(session, SIZE)
    return entrant(session, file, session_options.chosen(session.of("session_options")), ENDS)


def _mismatch(session: Session, size: tuple[int, int]) -> str | None:
    process = RUNNER.given(session, "runs the detector")
    options = session_options.plain(session.launcher.threads)
    process.ask("load", file_of(session, size), options, ENDS)
    picture = tiles(session.rng(), (1, 3, *size))
    case = Case("a picture", (InputTensor(picture, FP32),), spec(*size).out)
    want = EAGER.trusted(session).answer("run", case)
    return disagreement(case, process.answer("run", case), want)
