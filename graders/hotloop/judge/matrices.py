"""Workload of timed calls on one float32 matrix each, for operations that work row by row."""

import numpy as np

from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.verification import Reference, rows_agree
from hotloop.judge.window import Workload

ODD_EVERY = 8
LARGE = 100.0


def matrices(rows: int, columns: int, reference: Reference, tolerance: Tolerance) -> Workload:
    """Return a workload of [rows, columns] matrices of normal random numbers.

    Every eighth matrix has one row less and a secret number of extra columns, 1 to 63. In
    adversarial calls, up to 5 rows lie far from zero.
    """

    def spec(rng: np.random.Generator, index: int) -> CallSpec:
        shape = (rows, columns)
        if index % ODD_EVERY == ODD_EVERY - 1:
            shape = (rows - 1, columns + (int(rng.integers(1, 64)) | 1))
        return CallSpec((TensorSpec(shape, FP32),), TensorSpec(shape, FP32))

    return Workload(spec, _fill, rows_agree(reference, tolerance))


def _fill(rng: np.random.Generator, call: PlacedCall, hostile: bool) -> None:
    x = call.input(0)
    rng.standard_normal(out=x, dtype=np.float32)
    if hostile:
        few = rng.choice(len(x), size=min(len(x), int(rng.integers(1, 6))), replace=False)
        x[few] += LARGE * rng.choice([-1.0, 1.0], (len(few), 1))
