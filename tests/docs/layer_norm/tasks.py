"""How layer_norm(x, out) is judged; x and out are float32 matrices."""

from pathlib import Path

import numpy as np

from hotloop import authoring as hl


def truth(x):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def cases(rng):
    for columns in (1, 100, 1024, 4099):
        x = hl.reductions.spikes(rng, columns, 30.0)
        yield hl.Case(
            f"{columns} columns", (hl.Tensor(x, hl.FP32),), hl.TensorSpec(x.shape, hl.FP32)
        )


TOLERANCE = hl.Tolerance(relative=1e-5, absolute=1e-4)

layer_norm = hl.fills_tensor(
    correct=hl.Correct(cases, truth, lambda case: TOLERANCE),
    fast=hl.Fast(
        hl.matrices(512, 4096, truth, TOLERANCE),
        hl.Baseline(Path(__file__).with_name("baseline.py"), "layer_norm"),
        lambda spec: 2 * spec.out.bytes,
    ),
)
