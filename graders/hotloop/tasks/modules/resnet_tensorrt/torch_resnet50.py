"""ResNet-50 at full width in PyTorch alone, compared with the same network in eager float32.

The checks of `engines`, applied to the learner's own function, which is called with the seed of
the weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost, OnGpuFromHost
from hotloop.judge.dtypes import FP32, U8
from hotloop.judge.onnx.rewrites import seed
from hotloop.judge.oracle import Oracle
from hotloop.judge.window import Workload
from hotloop.tasks.modules.resnet_tensorrt.engines import (
    BATCHES,
    CLASSES,
    FLOPS,
    SIDE,
    fill,
    mismatch,
)
from hotloop.tasks.modules.resnet_tensorrt.given_files import program

Rng = np.random.Generator

TIMED = 64
"""Frames of a timed call; enough that its overhead is small beside its arithmetic."""

FLOAT_SHARE = 1e-4
"""Largest error of a float32 logit, over the largest logit: folding rounds weights again."""

_NETWORK = program("whole_network.py")
_ORACLE = Oracle(_NETWORK.files, _NETWORK.main)


def _cases(rng: Rng, batches: tuple[int, ...]) -> Iterator[Case]:
    """Yield a case for each batch, and one of another network with the first batch's shape."""
    first, other = seed(rng), seed(rng)
    for count in batches:
        yield _case(f"a batch of {count}", rng, first, count)
    yield _case("another network", rng, other, batches[0])


def _case(label: str, rng: Rng, weights: int, count: int) -> Case:
    frames = rng.integers(0, 256, (count, SIDE, SIDE, 3))
    return Case(label, (weights, InputTensor(frames, U8)), TensorSpec((count, CLASSES), FP32))


def _timed_spec(rng: Rng, _index: int) -> CallSpec:
    frames = TensorSpec((TIMED, SIDE, SIDE, 3), U8)
    return CallSpec((seed(rng), frames), TensorSpec((TIMED, CLASSES), FP32))


float_mismatch = partial(mismatch, share=FLOAT_SHARE)

CORRECT = Correct(
    Truth(partial(_cases, batches=(1, 3)), _ORACLE.function("logits_of", float_mismatch))
)
GPU_CORRECT = Correct(
    Truth(partial(_cases, batches=BATCHES), _ORACLE.function("logits_of", mismatch)),
    on=OnGpuFromHost(),
)
GPU_FAST = GpuFastFromHost(
    Workload(_timed_spec, fill),
    Baseline(
        _NETWORK.files[_NETWORK.main],
        "logits_of",
        beside=_NETWORK.files,
        label="eager PyTorch in float32",
    ),
    _ORACLE.function("logits_of", mismatch),
    lambda _spec: TIMED * FLOPS,
)
