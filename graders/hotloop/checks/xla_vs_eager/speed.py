"""Steps of training in the candidate's own process, against the same operations one at a time."""

from __future__ import annotations

import numpy as np

from hotloop.checks.xla_vs_eager import exported
from hotloop.checks.xla_vs_eager.given_files import GIVEN, HARNESS
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.candidate import Candidate
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.levels import Level
from hotloop.judge.referee import Referee
from hotloop.judge.rungs.correct import Case, Tensor
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.rungs.refereed import Refereed
from hotloop.judge.rungs.refereed_fast import RefereedFast
from hotloop.judge.window import Workload

Rng = np.random.Generator

STEPS, BATCH = 16, 32
SHARE = 5e-4
"""Of the largest number of its kind: a few steps in float32, whose errors add up."""

NETWORK = {"network.py": GIVEN / "network.py"}
REFEREE = Referee({"truth.py": HARNESS / "truth.py", **NETWORK}, "truth.py")
EAGER = Baseline(HARNESS / "eager_steps.py", "train", beside=NETWORK)
TRAIN = Candidate("train", "fast_training.py", "destination", "numpy")


def cases(rng: Rng) -> list[Case]:
    """Other batches than the timed ones too: what is compiled must not be for one size."""
    return [_case(rng, steps, batch) for steps, batch in ((STEPS, BATCH), (1, 7), (3, 16))]


def _case(rng: Rng, steps: int, batch: int) -> Case:
    images = exported.pictures(rng, steps * batch).reshape(steps, batch, 8, 8, 1)
    labels = exported.labels(rng, steps * batch).reshape(steps, batch)
    state = np.concatenate([exported.parameters(rng), 0.1 * exported.parameters(rng)])
    inputs = tuple(Tensor(values, FP32) for values in (images, labels, state))
    return Case(f"{steps} steps of {batch} samples", inputs, TensorSpec(state.shape, FP32))


def disagreement(_case: Case, got: Floats, want: Floats) -> str | None:
    """What is wrong with parameters or momentum after training."""
    half = exported.PARAMETERS
    for what, where in (("parameters", slice(0, half)), ("momentum", slice(half, None))):
        allowed = Tolerance(0.0, SHARE * max(1e-3, float(np.abs(want[where]).max())))
        found = compare(got[where], want[where], allowed)
        if found is not None:
            return f"the {what} are others: {found.sentence()}"
    return None


def correct() -> Refereed:
    """The same training as in float64."""
    return Refereed(cases, REFEREE, "train", disagreement)


def measured(levels: tuple[Level, ...]) -> RefereedFast:
    """Against op-by-op JAX in a process of its own."""
    fast = Fast(
        Workload(lambda _rng, _index: _spec(), _fill),
        EAGER,
        lambda spec: spec.out.bytes,
        levels,
        fewest_flops=lambda _spec: STEPS * step_flops(BATCH),
        seconds=90.0,
    )
    return RefereedFast(fast, REFEREE, "train", disagreement)


def step_flops(batch: int) -> int:
    """Products and additions of a step: forward, for the kernels, and for the inputs but the first.

    Two a tap, a channel in and out, and a pixel: 8×8 pixels, then 4×4, then a product.
    """
    width = exported.WIDTH
    first = 2 * 9 * 1 * width * 64
    second = 2 * 9 * width * 2 * width * 16
    head = 2 * 8 * width * exported.CLASSES
    return batch * (2 * first + 3 * (second + head))


def _spec() -> CallSpec:
    shapes = ((STEPS, BATCH, 8, 8, 1), (STEPS, BATCH), (2 * exported.PARAMETERS,))
    return CallSpec(
        tuple(TensorSpec(shape, FP32) for shape in shapes), TensorSpec(shapes[-1], FP32)
    )


def _fill(rng: Rng, call: Call, hostile: bool) -> None:
    """Fresh batches and a fresh state; hostile: all pictures black or of one brightness."""
    images, labels, state = call.inputs()
    images[...] = rng.random(images.shape, dtype=np.float32)
    if hostile:
        images[...] = rng.integers(0, 2, (*images.shape[:2], 1, 1, 1))
    labels[...] = rng.integers(0, exported.CLASSES, labels.shape)
    momentum = 0.1 * exported.parameters(rng)
    state[...] = np.concatenate([exported.parameters(rng), momentum]).astype(np.float32)
