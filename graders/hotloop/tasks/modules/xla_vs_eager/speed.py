"""Timed training: STEPS steps of BATCH images, against op-by-op JAX in a separate process."""

from __future__ import annotations

from functools import partial

import numpy as np

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline, Fast
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP32
from hotloop.judge.oracle import Oracle
from hotloop.judge.seeds import Rng
from hotloop.judge.window import Workload
from hotloop.tasks.modules.xla_vs_eager import exported
from hotloop.tasks.modules.xla_vs_eager.given_files import NETWORK, PROGRAMS

STEPS, BATCH = 16, 32
GPU_STEPS = 64
"""Steps of a timed call on a GPU, where a step takes less time."""

SHARE = 5e-4
"""Tolerance, relative to the largest number of its kind; float32 errors of several steps add up."""

TF32_SHARE = 5e-3
"""The same on a GPU, whose tensor cores by default round factors to 11 significant bits (TF32).

With every factor rounded that way on a CPU, the steps err by up to 1.3e-3.
"""

ORACLE = Oracle({"truth.py": PROGRAMS / "truth.py", **NETWORK}, "truth.py")
EAGER = Baseline(PROGRAMS / "eager_steps.py", "train", beside=NETWORK)


def cases(rng: Rng) -> list[Case]:
    """Return the timed size and two others, so that a step for one size only fails."""
    return [_case(rng, steps, batch) for steps, batch in ((STEPS, BATCH), (1, 7), (3, 16))]


def _case(rng: Rng, steps: int, batch: int) -> Case:
    images = exported.random_images(rng, steps * batch).reshape(steps, batch, 8, 8, 1)
    labels = exported.labels(rng, steps * batch).reshape(steps, batch)
    state = np.concatenate([exported.parameters(rng), 0.1 * exported.parameters(rng)])
    inputs = tuple(InputTensor(values, FP32) for values in (images, labels, state))
    return Case(f"{steps} steps of {batch} samples", inputs, TensorSpec(state.shape, FP32))


def mismatch(_case: Case, got: Floats, want: Floats, share: float = SHARE) -> str | None:
    """Return a message about wrong parameters or momentum after training, or None."""
    half = exported.PARAMETERS
    for what, where in (("parameters", slice(0, half)), ("momentum", slice(half, None))):
        allowed = Tolerance(0.0, share * max(1e-3, float(np.abs(want[where]).max())))
        difference = compare(got[where], want[where], allowed)
        if difference is not None:
            return f"the {what} are others: {difference.sentence()}"
    return None


mismatch_on_gpu = partial(mismatch, share=TF32_SHARE)


def step_flops(batch: int) -> int:
    """Return the FLOPs of a step: forward, and gradients of weights and inputs except the images.

    A convolution takes 2 · taps · input channels · output channels · pixels: 8×8, then 4×4 pixels.
    """
    width = exported.WIDTH
    first = 2 * 9 * 1 * width * 64
    second = 2 * 9 * width * 2 * width * 16
    head = 2 * 8 * width * exported.CLASSES
    return batch * (2 * first + 3 * (second + head))


def flops_of_call(spec: CallSpec) -> int:
    """Return the FLOPs of all steps of a call.

    The number of steps comes from its first argument of shape [steps, BATCH, …].
    """
    steps = next(a.shape[0] for a in spec.arguments if isinstance(a, TensorSpec) and a.shape[1:])
    return steps * step_flops(BATCH)


def timed(steps: int) -> Workload:
    """Return the workload of training `steps` steps. The oracle computes the right result."""
    return Workload(lambda _rng, _index: _spec(steps), _fill)


def _spec(steps: int) -> CallSpec:
    shapes = ((steps, BATCH, 8, 8, 1), (steps, BATCH), (2 * exported.PARAMETERS,))
    return CallSpec(
        tuple(TensorSpec(shape, FP32) for shape in shapes), TensorSpec(shapes[-1], FP32)
    )


def _fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill in random batches and state. hostile: each image is all 0 or all 1."""
    images, labels, state = call.inputs()
    images[...] = rng.random(images.shape, dtype=np.float32)
    if hostile:
        images[...] = rng.integers(0, 2, (*images.shape[:2], 1, 1, 1))
    labels[...] = rng.integers(0, exported.CLASSES, labels.shape)
    momentum = 0.1 * exported.parameters(rng)
    state[...] = np.concatenate([exported.parameters(rng), momentum]).astype(np.float32)


TIMED_STEPS = Fast(
    timed(STEPS),
    EAGER,
    lambda spec: spec.out.bytes,
    fewest_flops=flops_of_call,
    seconds=90.0,
    oracle=ORACLE.function("train", mismatch),
)
