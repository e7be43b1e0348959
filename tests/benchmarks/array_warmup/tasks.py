"""The judge's checks of module array_warmup. The stock notebook tests the same properties."""

from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, Correct, InputTensor, Truth
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP64
from hotloop.judge.task import returns_tensor

CASES = 5
ROWS, COLUMNS = 120, 40
TOLERANCE = Tolerance(1e-9, 1e-9)


def _array(rng: np.random.Generator, rows: int = ROWS) -> InputTensor:
    return InputTensor(rng.normal(size=(rows, COLUMNS)), FP64)


def _cases_of_means(rng: np.random.Generator) -> Iterator[Case]:
    for number in range(CASES):
        yield Case(f"array {number}", (_array(rng),), TensorSpec((ROWS,), FP64))


def _cases_of_clipping(rng: np.random.Generator) -> Iterator[Case]:
    for number in range(CASES):
        arguments = (_array(rng), float(-rng.random()), float(rng.random()))
        yield Case(f"array {number}", arguments, TensorSpec((ROWS, COLUMNS), FP64))


def _cases_of_distances(rng: np.random.Generator) -> Iterator[Case]:
    for number in range(CASES):
        arguments = (_array(rng), _array(rng, ROWS // 2))
        yield Case(f"array {number}", arguments, TensorSpec((ROWS, ROWS // 2), FP64))


row_means = returns_tensor(
    "numpy",
    correct=Correct(Truth(_cases_of_means, lambda x: x.mean(axis=1), lambda _case: TOLERANCE)),
)

clipped = returns_tensor(
    "numpy",
    correct=Correct(
        Truth(
            _cases_of_clipping,
            lambda x, low, high: np.minimum(np.maximum(x, low), high),
            lambda _case: TOLERANCE,
        )
    ),
)

distances = returns_tensor(
    "numpy",
    correct=Correct(
        Truth(
            _cases_of_distances,
            lambda a, b: np.sqrt(((a[:, None, :] - b[None, :, :]) ** 2).sum(axis=2)),
            lambda _case: TOLERANCE,
        )
    ),
)
