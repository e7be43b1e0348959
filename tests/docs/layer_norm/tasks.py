"""How layer_norm(x, out) is judged; x and out are float32 matrices."""

from pathlib import Path

import numpy as np

from hotloop.authoring import (
    FP32,
    Baseline,
    Case,
    Correct,
    Fast,
    Tensor,
    TensorSpec,
    Tolerance,
    fills_tensor,
    matrices,
    reductions,
)


def truth(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def cases(rng):
    for columns in (1, 100, 1024, 4099):
        x = reductions.spikes(rng, columns, 30.0)
        yield Case(f"{columns} columns", (Tensor(x, FP32),), TensorSpec(x.shape, FP32))


TOLERANCE = Tolerance(relative=1e-5, absolute=1e-4)

layer_norm = fills_tensor(
    correct=Correct(cases, truth, lambda case: TOLERANCE),
    fast=Fast(
        matrices(512, 4096, truth, TOLERANCE),
        Baseline(Path(__file__).with_name("baseline.py"), "layer_norm"),
        lambda spec: 2 * spec.out.bytes,
    ),
)
