"""The detector as a TensorRT engine, timed against eager PyTorch on the same GPU.

The candidate's `build_engine` builds the engine in its own worker from an ONNX model that the judge
supplies.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost, OnGpuFromHost
from hotloop.judge.compare import Floats
from hotloop.judge.dtypes import FP32
from hotloop.judge.file_exchange import get_file
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.engine import builder, require_tensorrt, running
from hotloop.judge.oracle import Oracle
from hotloop.judge.program import Process
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks.modules.yolo_on_mobile.given_files import EAGER, PROGRAMS, program
from hotloop.tasks.modules.yolo_on_mobile.network_cost import CLASSES, boxes, flops
from hotloop.tasks.modules.yolo_on_mobile.speeds import SIZE, fill, tiles

Rng = np.random.Generator

BATCHES = (1, 8, 16)
"""The minimum and maximum batch of the optimization profile, and in the middle the timed batch."""

ENTRY = "build_engine"
DEVICE = "cuda"
MODEL_BYTES = 64 << 20
BUILD_S = 300.0
PIXELS_OFF, SCORE_OFF = 2.0, 0.03
"""Largest absolute errors: of coordinates in pixels, and of probabilities. TF32 and float16 have
ten mantissa bits: one rounding is half a pixel of 640, and there are sixty layers."""


def _built(session: Session, card: Card) -> bytes:
    session.progress("writing the model")
    maker = program("exporting.py", "eager.py").trusted(session)
    path = maker.ask("write", *SIZE)
    model = GivenFile("detector.onnx", get_file(maker.worker, str(path), MODEL_BYTES))
    session.progress("building the engine")
    with builder(session.of(ENTRY), card) as worker:
        target = f"{put_folder(worker)}/detector.engine"
        ask_plainly(worker, (model, *BATCHES, target), session.timeout(BUILD_S))
        engine = get_file(worker, target, MODEL_BYTES)
    session.note(bytes=len(engine))
    return engine


def _use(worker: WorkerConnection, session: Session) -> None:
    """Load the eager PyTorch network onto the GPU."""
    Process(EAGER, worker, session).ask("use", DEVICE)


def _cases(rng: Rng) -> Iterator[Case]:
    for count in BATCHES:
        pictures = InputTensor(tiles(rng, (count, 3, *SIZE)), FP32)
        yield Case(f"a batch of {count}", (pictures,), _spec(count).out)


def _spec(count: int) -> CallSpec:
    """float32 [count, 3, height, width] to float32 [count, boxes, 5 + classes]."""
    pictures = TensorSpec((count, 3, *SIZE), FP32)
    return CallSpec((pictures,), TensorSpec((count, boxes(*SIZE), 5 + CLASSES), FP32))


def mismatch(_case: Case, got: Floats, want: Floats) -> str | None:
    """Return what is wrong with a table as the start of a sentence, or None. NaN is wrong."""
    off = np.abs(got - want)
    if not (off[..., :4] <= PIXELS_OFF).all():
        return f"a coordinate is {np.nan_to_num(off[..., :4], nan=np.inf).max():.3g} pixels off"
    if not (off[..., 4:] <= SCORE_OFF).all():
        return f"a probability is {np.nan_to_num(off[..., 4:], nan=np.inf).max():.3g} off"
    return None


_EAGER_RUN = Oracle(EAGER.files, EAGER.main, _use).function("run", mismatch)
BUILDS = Correct(Truth(_cases, _EAGER_RUN), on=OnGpuFromHost(partial(running, _built)))
FAST = GpuFastFromHost(
    Workload(lambda _rng, _index: _spec(BATCHES[1]), fill),
    Baseline(
        PROGRAMS / EAGER.main,
        "run",
        beside=EAGER.files,
        prepare=_use,
        label="eager PyTorch",
    ),
    _EAGER_RUN,
    lambda _spec: BATCHES[1] * flops(*SIZE),
    entrant=partial(running, _built),
)


@check(after=("correct",))
def builds(session: Session) -> str:
    """Compare the engine's table with eager PyTorch's for each batch size in BATCHES."""
    require_tensorrt()
    BUILDS(session)
    return "The engine gives the network's table."


@check(after=("engine",), scored_by="levels")
def fast(session: Session) -> str:
    """Time calls of 8 images in host memory against eager PyTorch."""
    require_tensorrt()
    return FAST(session)
