"""ResNet-50 trained on records in CIFAR-10's binary format: hidden runs, baselines and reference.

A check that isolates a remedy times the candidate against a loop that has every remedy but this
one: what else a candidate tuned gains nothing there.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.checks.gpu_from_host import GpuFastFromHost
from hotloop.judge.dtypes import U8
from hotloop.judge.oracle import Oracle
from hotloop.judge.seeds import Rng
from hotloop.judge.window import Workload
from hotloop.tasks.modules.profile_training_loop.given_files import (
    GIVEN,
    LOOP_FILES,
    NETWORK_FILE,
    PROGRAMS,
)
from hotloop.tasks.modules.profile_training_loop.network import RESNET50
from hotloop.tasks.modules.profile_training_loop.pictures import SIDE, Textures, pictures

RECORD = 1 + 3 * SIDE * SIDE
LOOPS = PROGRAMS / "isolating_loops.py"
SLOW_CIFAR = Baseline(GIVEN / "slow_cifar.py", "train_resnet50", beside=LOOP_FILES)
ORACLE = Oracle({LOOPS.name: LOOPS, **NETWORK_FILE}, LOOPS.name)
TRAINED = ORACLE.function("plainly", RESNET50.disagreement)

ON_CPU = (16, 1, 2)
ON_GPU = (512, 2, 256)
"""Records, steps and pictures per step of a timed call."""


def cases(rng: Rng) -> Iterator[Case]:
    """Yield two short runs: a step of ResNet-50 takes tenths of a second on one core."""
    yield _case(rng, "one step of 5 pictures", 16, 1, 5)
    yield _case(rng, "two steps of 2 pictures", 24, 2, 2)


def on_gpu_cases(rng: Rng) -> Iterator[Case]:
    """Yield runs of the size that a GPU is given."""
    yield _case(rng, "two steps of 64 pictures", 128, 2, 64)


def timed(records: int, steps: int, batch: int) -> Workload:
    """Return the workload of runs of that size. The oracle computes the right result."""
    return Workload(lambda _rng, _index: _spec(records, steps, batch), _fill)


def flops(spec: CallSpec) -> int:
    """Return the FLOPs of the steps."""
    records, plan, *rest = spec.arguments
    return RESNET50.flops(CallSpec((records, records, plan, *rest), spec.out))


def without(remedy: str) -> Baseline:
    """Return the loop with every remedy but one."""
    return Baseline(LOOPS, f"without_{remedy}", beside=NETWORK_FILE)


def against(remedy: str) -> GpuFastFromHost:
    """Return the check on a GPU that isolates a remedy."""
    return GpuFastFromHost(
        timed(*ON_GPU), without(remedy), TRAINED, flops, seconds=90.0, after=("gpu_correct",)
    )


def records_of(images: NDArray[np.uint8], labels: NDArray[np.int64]) -> NDArray[np.uint8]:
    """Return uint8 [n, 3073]: the label, then the planes of red, green and blue."""
    planes = np.moveaxis(images, 3, 1).reshape(len(images), -1)
    return np.concatenate([labels[:, None].astype(np.uint8), planes], axis=1)


def _case(rng: Rng, label: str, count: int, steps: int, batch: int) -> Case:
    plain = RESNET50.training(rng, label, count, steps, batch)
    images, labels, *rest = plain.arguments
    assert isinstance(images, InputTensor)
    assert isinstance(labels, InputTensor)
    records = InputTensor(records_of(images.values, labels.values), U8)
    return replace(plain, arguments=(records, *rest))


def _spec(records: int, steps: int, batch: int) -> CallSpec:
    _, _, *rest = RESNET50.call(records, steps, batch).arguments
    return CallSpec((TensorSpec((records, RECORD), U8), *rest), RESNET50.call(1, 1, 1).out)


def _fill(rng: Rng, call: PlacedCall, _hostile: bool) -> None:
    records, plan, initial = call.inputs()
    records[...] = records_of(*pictures(rng, Textures(rng), len(records)))
    plan[...] = RESNET50.plan(rng, len(records), *plan.shape[:2])
    initial[...] = RESNET50.initial(rng)
