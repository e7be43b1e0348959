"""Sentence embeddings from hidden states: reference, hidden inputs, and the timed calls."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, DType
from hotloop.judge.gpu.recipes import Draw, Keep, Normal, Twist
from hotloop.judge.gpu.workload import DeviceWorkload

Rng = np.random.Generator
Shape = tuple[int, int, int]
"""Rows, tokens, and elements per token."""

CHAIN = Baseline(Path(__file__).parent / "baselines.py", "mean_pooling")

SMALLEST_NORM = 1e-12
TIMED = (2048, 128, 768)
"""403 MB in float16, more than any L2 cache holds."""

KEPT = 0.8
"""The share of tokens in timed calls; the rest is padding, which need not be read."""

SPREAD = 4.0
"""In timed calls, an element's mean absolute value divided by the norm of its row's mean is below
0.5 in all draws."""

TWISTS: tuple[Twist, ...] = ("large", "spikes", "ramp")


def embeddings(hidden: Floats, mask: NDArray[np.bool_]) -> Floats:
    """Return the mean of each row's tokens, divided by its Euclidean norm; zeros without a token.

    hidden: [rows, length, width]. mask: [rows, length], True for a token.
    """
    mean = _mean(hidden, mask)
    norm = np.sqrt((mean**2).sum(-1, keepdims=True))
    return mean / np.maximum(norm, SMALLEST_NORM)


def _mean(hidden: Floats, mask: NDArray[np.bool_]) -> Floats:
    count = np.maximum(mask.sum(1), 1)
    return np.where(mask[:, :, None], hidden, 0.0).sum(1) / count[:, None]


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance.

    A mean's error grows with the summed numbers and is divided by the norm.
    """
    hidden, mask = (a.rounded() for a in case.arguments if isinstance(a, InputTensor))
    norm = np.sqrt((_mean(hidden, mask) ** 2).sum(-1, keepdims=True))
    sizes = _mean(np.abs(hidden), mask) / np.where(norm > 0, norm, math.inf)
    return _tolerance(hidden.shape[1], hidden.shape[2], float(sizes.max()))


def _tolerance(length: int, width: int, spread: float) -> Tolerance:
    derived = Tolerance.derived(FP32, FP32, terms=length + width)
    return Tolerance(derived.relative, derived.absolute + spread * derived.relative)


def cases(rng: Rng) -> Iterator[Case]:
    """Yield cases of all dtypes, sizes and masks that the task names."""
    yield _case(rng, "one token", (1, 1, 16))
    yield _case(rng, "an odd width", (5, 19, 2 * int(rng.integers(30, 200)) + 1))
    yield _case(rng, "the largest width", (3, 40, 1024))
    yield _case(rng, "an odd number of tokens", (4, 2 * int(rng.integers(8, 60)) + 1, 384))
    yield _case(rng, "rows that are padding altogether", (6, 33, 128), share=0.5, empty=True)
    yield _case(rng, "one token among padding", (8, 77, 96), share=0.0)
    yield _case(rng, "padding that holds infinities", (5, 24, 200), padding=math.inf)
    yield _case(rng, "float16", (4, 50, 768), dtype=FP16)
    yield _case(rng, "bfloat16", (4, 50, 256), dtype=BF16)
    yield _case(rng, "many almost equal numbers in float16", (2, 500, 64), dtype=FP16, level=1.0)
    yield _case(rng, "numbers up to 30000 in float16", (3, 64, 128), dtype=FP16, level=3e4)


def counted_case(rng: Rng) -> Case:
    """Return a case with half padding, as in a batch of texts of all lengths."""
    return _case(rng, "half of it padding", (6, 64, 256), share=0.5, dtype=FP16)


def _case(
    rng: Rng,
    label: str,
    shape: Shape,
    *,
    dtype: DType = FP32,
    share: float = 0.7,
    empty: bool = False,
    level: float = 0.0,
    padding: float = 0.0,
) -> Case:
    """Return a case. level: numbers lie around this value with a spread of 2 %, not around 0."""
    rows, length, width = shape
    hidden = rng.standard_normal(shape)
    if level:
        hidden = level * (1.0 + hidden / 50.0)
    mask = rng.random((rows, length)) < share
    mask[np.arange(rows), rng.integers(length, size=rows)] = True
    if empty:
        mask[::2] = False
    if padding:
        hidden[~mask] = padding
    arguments = (InputTensor(hidden, dtype), InputTensor(mask, BOOL))
    return Case(label, arguments, TensorSpec((rows, width), FP32))


def fewest_bytes_of_case(case: Case) -> int:
    """Return the bytes of its tokens, mask and result, each once; padding need not be read."""
    hidden, mask = (a for a in case.arguments if isinstance(a, InputTensor))
    tokens = int(mask.values.sum())
    return tokens * hidden.values.shape[2] * hidden.dtype.bytes + mask.spec.bytes + case.out.bytes


def on_gpu() -> DeviceWorkload:
    """Return a workload: hidden states of a base-sized encoder for some thousand short texts."""
    return DeviceWorkload(
        spec=_spec,
        draws=_draws,
        truth=embeddings_on_device,
        tolerance=lambda _spec: _tolerance(TIMED[1], TIMED[2], SPREAD),
    )


def _spec(rng: Rng, index: int) -> CallSpec:
    """Return the call; every eighth has one row less and a random number of tokens."""
    rows, length, width = TIMED
    if index % 8 == 7:
        rows, length = rows - 1, length - int(rng.integers(1, 32))
    hidden, mask = TensorSpec((rows, length, width), FP16), TensorSpec((rows, length), BOOL)
    return CallSpec((hidden, mask), TensorSpec((rows, width), FP32))


def _draws(rng: Rng, _spec: CallSpec, hostile: bool) -> tuple[Draw, Draw]:
    if not hostile:
        return Normal(1.0), Keep(KEPT)
    twist = TWISTS[int(rng.integers(len(TWISTS)))]
    return Normal(1.0, twist, rows=int(rng.integers(1, 6))), Keep(KEPT, empty_rows=0.01)


def embeddings_on_device(hidden: Any, mask: Any) -> Any:
    """Compute `embeddings` on float64 and bool torch tensors; infinities are not supported."""
    count = mask.sum(1).clamp_min(1)
    mean = (mask.to(hidden.dtype)[:, None, :] @ hidden)[:, 0] / count[:, None]
    return mean / mean.norm(dim=-1, keepdim=True).clamp_min(SMALLEST_NORM)


def fewest_bytes(spec: CallSpec) -> int:
    """Return the minimum bytes of a timed call."""
    hidden, mask = (a for a in spec.arguments if isinstance(a, TensorSpec))
    return int(KEPT * hidden.bytes) + mask.bytes + spec.out.bytes
