"""Cross-entropy over a large vocabulary: reference, hidden cases, and the timed GPU workload."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32, I32
from hotloop.judge.gpu.definition import Input, Output, device_workload, few_rows
from hotloop.judge.gpu.recipes import Normal, Twist, Whole
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.xla_vs_eager.given_files import PROGRAMS

ROWS, CLASSES = 8192, 32_768
SCALE = 4.0
TWISTS: tuple[Twist, ...] = ("large", "equal_rows", "spikes", "ramp")
LARGEST = 64.0 * SCALE * 6.0
"""Upper bound of timed scores, whose standard deviation is 4 and, in a few rows, 64 · 4."""

EAGER = Baseline(PROGRAMS / "eager_losses.py", "losses")


def losses(scores: Floats, labels: NDArray[Any]) -> Floats:
    """Return the losses, float64 [n], of scores [n, classes] for the right classes [n]."""
    top = scores.max(axis=1)
    total = np.exp(scores - top[:, None]).sum(axis=1)
    return top + np.log(total) - scores[np.arange(len(scores)), labels.astype(np.int64)]


def cases(rng: Rng) -> Iterator[Case]:
    """Yield small and wide scores, scores that overflow without a shift, and confident rows."""
    yield _case(rng, "a few classes", rng.normal(0, 2, (5, 7)))
    yield _case(rng, "one class", rng.normal(0, 2, (3, 1)))
    yield _case(rng, "a large vocabulary", rng.normal(0, SCALE, (33, 5003)))
    yield _case(rng, "scores up to several hundred", rng.normal(0, 200, (64, 1000)))
    yield _case(rng, "scores far below 0", rng.normal(0, 2, (16, 300)) - 500)
    sure = rng.normal(0, 1, (16, 300))
    sure[np.arange(16), rng.integers(0, 300, 16)] += 60
    yield _case(rng, "one class is sure", sure)


def _case(rng: Rng, label: str, scores: Floats) -> Case:
    n, classes = map(int, scores.shape)
    labels = rng.integers(0, classes, n)
    # Some labels are the top class, so that a confident row has a loss of almost 0.
    largest: NDArray[np.int64] = scores.argmax(axis=1)
    labels[:: max(1, n // 4)] = largest[:: max(1, n // 4)]
    return Case(
        label, (InputTensor(scores, FP32), InputTensor(labels, I32)), TensorSpec((n,), FP32)
    )


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance for the scores of a case."""
    scores = case.arguments[0]
    assert isinstance(scores, InputTensor)
    return _within(float(np.abs(scores.values).max()))


def _within(largest: float) -> Tolerance:
    """Return the tolerance of a difference of scores: rounding of the largest one counts."""
    return Tolerance(relative=1e-5, absolute=1e-5 + 1e-6 * largest)


def read_bytes(spec: CallSpec) -> int:
    """Return the bytes of the scores, each read once."""
    scores = spec.arguments[0]
    assert isinstance(scores, TensorSpec)
    return scores.bytes


def _losses_on_device(scores: Any, labels: Any) -> Any:
    """Compute `losses` on float64 torch tensors."""
    return scores.logsumexp(1) - scores.gather(1, labels.long()[:, None])[:, 0]


ON_GPU = device_workload(
    {"rows": ROWS, "classes": CLASSES},
    (
        Input("rows classes", draw=Normal(SCALE), hostile=few_rows(SCALE, TWISTS)),
        Input("rows", I32, Whole(((CLASSES, 1),))),
    ),
    Output("rows"),
    _losses_on_device,
    _within(LARGEST),
)
