"""ResNet-50 at full width as a float16 TensorRT engine, against eager PyTorch on the same GPU.

The candidate's `build_engine` builds the engine in its own worker, from our ONNX model.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.check import check
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost, OnGpuFromHost
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32, U8
from hotloop.judge.file_exchange import get_file
from hotloop.judge.gpu.card import Card
from hotloop.judge.gpu.engine import builder, require_tensorrt, running
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.oracle import Oracle
from hotloop.judge.program import Process, Program
from hotloop.judge.questions import GivenFile, ask_plainly, put_folder
from hotloop.judge.session import Session
from hotloop.judge.window import Workload
from hotloop.judge.worker_connection import WorkerConnection
from hotloop.tasks.modules.resnet_tensorrt.given_files import program

Rng = np.random.Generator

SIDE, CLASSES = 224, 1000
BATCHES = (1, 32, 64)
"""Batch sizes: the profile's minimum, the one that is timed, and the profile's maximum."""

FLOPS = 8_200_000_000
"""For one image: 4.1e9 multiply-adds of ResNet-50 at 224×224."""

MODEL_BYTES = 256 << 20
BUILD_S = 300.0
HALF_SHARE = 0.02
"""Largest error of a logit as a share of the largest logit: float16 through 53 layers."""


def _built(session: Session, card: Card) -> bytes:
    session.progress("writing the model")
    maker = _network().trusted(session)
    path = maker.ask("write", _seed(session), timeout_s=BUILD_S)
    model = GivenFile("network.onnx", get_file(maker.worker, str(path), MODEL_BYTES))
    session.progress("building the engine")
    with builder(session, card) as worker:
        folder = put_folder(worker)
        cache, target = f"{folder}/timings", f"{folder}/network.engine"
        ask_plainly(worker, (model, "fp16", cache, target), session.timeout(BUILD_S))
        if not get_file(worker, cache):
            raise Ruling(Verdict.WRONG_ANSWER, "The timing cache is empty.")
        engine = get_file(worker, target, MODEL_BYTES)
    session.note(bytes=len(engine))
    return engine


def _oracle() -> Oracle:
    network = _network()
    return Oracle(network.files, network.main, _load)


def _load(worker: WorkerConnection, session: Session) -> None:
    """Load the network on the GPU, in eager PyTorch."""
    Process(_network(), worker, session).ask("load", _seed(session))


def _network() -> Program:
    return program("whole_network.py")


def _seed(session: Session) -> int:
    """Return the seed of the network's weights, the same for all checks."""
    return session.once("seed of the network", lambda: seed(session.rng()))


def _cases(rng: Rng) -> Iterator[Case]:
    for count in BATCHES:
        images = rng.integers(0, 256, (count, SIDE, SIDE, 3))
        yield Case(f"a batch of {count}", (InputTensor(images, U8),), _spec(count).out)


def _spec(count: int) -> CallSpec:
    """Take uint8 [count, height, width, 3]; return float32 [count, classes]."""
    images = TensorSpec((count, SIDE, SIDE, 3), U8)
    return CallSpec((images,), TensorSpec((count, CLASSES), FP32))


def fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill the images with noise; hostile: with one color each."""
    (images,) = call.inputs()
    shape = (len(images), 1, 1, 3) if hostile else images.shape
    images[...] = rng.integers(0, 256, shape, np.uint8)


def mismatch(_case: Case, got: Floats, want: Floats, share: float = HALF_SHARE) -> str | None:
    """Return which logit is off by more than `share` of the largest one, or None.

    That is by default what half precision explains.
    """
    wrong = compare(got, want, Tolerance.of_largest(share, want))
    return None if wrong is None else f"a logit is wrong: {wrong.sentence()}"


_NETWORK = _network()
BUILDS = Correct(
    Truth(_cases, _oracle().function("run", mismatch)), on=OnGpuFromHost(partial(running, _built))
)
FAST = GpuFastFromHost(
    Workload(lambda _rng, _index: _spec(BATCHES[1]), fill),
    Baseline(
        _NETWORK.files[_NETWORK.main],
        "run",
        beside=_NETWORK.files,
        prepare=_load,
        label="eager PyTorch",
    ),
    _oracle().function("run", mismatch),
    lambda _spec: BATCHES[1] * FLOPS,
    entrant=partial(running, _built),
)


@check(after=("half",))
def builds(session: Session) -> str:
    """Check that the engine's logits are eager PyTorch's, and that a timing cache exists.

    Runs each of BATCHES. Returns the message for the learner; raises Ruling.
    """
    require_tensorrt()
    BUILDS(session)
    return "The engine computes what the network does, and the timing cache is there."


@check(after=("builds",), scored_by="levels")
def fast(session: Session) -> str:
    """Time calls of 32 images in host memory against eager PyTorch in float32."""
    require_tensorrt()
    return FAST(session)
