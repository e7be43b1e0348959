"""Queries, keys and thresholds whose pattern of kept blocks does not depend on rounding.

Tokens of a block resemble each other, as in text, so the gates lie far apart. Each threshold lies
in the widest gap near the wanted share of kept blocks.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.adversarial.attention import keys_alike, pointing
from hotloop.judge.adversarial.reductions import places
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Argument, Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import BOOL, FP16, FP32, I32, DType, to_float64, to_storage
from hotloop.judge.judge_fault import JudgeFault
from hotloop.tasks.modules.sparse_attention_op import truth

Rng = np.random.Generator
Shape = tuple[int, int, int, int]

FULL, EMPTY = -np.inf, np.inf
GAP = {FP32.name: 1e-3, FP16.name: 1e-2}
"""Minimum distance of a threshold from every gate: a hundred times the error of float32 sums."""

ATTEMPTS = 50

LARGE = 120.0
"""Size of large scores: in float32, exp(−104) is 0 and exp(89) overflows."""


@dataclass(frozen=True)
class Sample:
    """Inputs of one call, float64 with values that are exact in the candidate's dtype."""

    q: Floats
    k: Floats
    v: Floats
    threshold: Floats
    block: int
    causal: bool
    dtype: DType

    @property
    def shape(self) -> Shape:
        """The shape of q, k, v and the output: [batch, heads, length, depth]."""
        b, h, n, d = self.q.shape
        return b, h, n, d

    def tensors(self, gap: int = 0) -> tuple[Argument, ...]:
        """Return q, k, v and threshold as the candidate gets them. gap: elements after q's rows."""
        tensors = [
            InputTensor(x, self.dtype, g) for x, g in ((self.q, gap), (self.k, 0), (self.v, 0))
        ]
        return (*tensors, InputTensor(self.threshold, FP32))

    def case(self, label: str, gap: int = 0) -> Case:
        """Return a case for the operator itself."""
        arguments = (*self.tensors(gap), self.block, self.causal)
        return Case(label, arguments, TensorSpec(self.shape, self.dtype))

    def mask_case(self, label: str) -> Case:
        """Return a case for the mask of kept blocks."""
        q, k, _, threshold = self.tensors()
        b, h, n, _ = self.shape
        blocks = -(-n // self.block)
        out = TensorSpec((b, h, blocks, blocks), BOOL)
        return Case(label, (q, k, threshold, self.block, self.causal), out)

    def gradient_case(self, label: str, rng: Rng, order: tuple[int, ...] = ()) -> Case:
        """Return a case for the gradients of q, k and v, given a random output gradient.

        order: of the axes of the output gradient in memory, as of `TensorSpec`.
        """
        grad = InputTensor(rng.standard_normal(self.shape), self.dtype, order=order)
        arguments = (*self.tensors(), grad, self.block, self.causal)
        return Case(label, arguments, TensorSpec((3, *self.shape), self.dtype))

    def side_by_side_case(self, label: str) -> Case:
        """Return a case for the output with heads concatenated: [batch, length, heads × depth]."""
        b, h, n, d = self.shape
        return replace(self.case(label), out=TensorSpec((b, n, h * d), self.dtype))

    def listed_case(self, label: str, rng: Rng, gap: int = 0) -> Case:
        """Return a case for the kernel that takes lists of kept blocks."""
        counts, columns = lists(
            truth.kept(self.q, self.k, self.threshold, self.block, self.causal), rng
        )
        return listed(label, self, counts, columns, gap)


def listed(
    label: str, sample: Sample, counts: NDArray[Any], columns: NDArray[Any], gap: int = 0
) -> Case:
    """Return a case for the kernel with the given lists. gap: elements between q's rows."""
    arguments = (
        *sample.tensors(gap)[:3],
        InputTensor(counts, I32),
        InputTensor(columns, I32),
        sample.block,
        sample.causal,
    )
    return Case(label, arguments, TensorSpec(sample.shape, sample.dtype))


def lists(kept: NDArray[np.bool_], rng: Rng) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the counts of kept blocks and their columns.

    Both int64. In each row the kept columns come first, in rising order, followed by large invalid
    indices.
    """
    counts = kept.sum(-1)
    columns = np.argsort(~kept, axis=-1, kind="stable")
    behind = ~truth.listed(counts, columns)
    columns[behind] = rng.integers(1 << 20, 1 << 24, int(np.count_nonzero(behind)))
    return counts.astype(np.int64), columns.astype(np.int64)


def sampled(
    rng: Rng,
    shape: Shape,
    block: int,
    *,
    causal: bool = False,
    share: float = 0.3,
    dtype: DType = FP32,
    fixed: tuple[float | None, ...] = (),
    scale: float = 1.0,
) -> Sample:
    """Sample inputs with known kept blocks; raise JudgeFault if no threshold fits.

    share: wanted share of kept blocks. fixed: thresholds of the first heads; None, and heads beyond
    it, use `share`.
    scale: factor on q and k; large ones overflow exp unless the maximum is subtracted.
    """
    for _ in range(ATTEMPTS):
        q, k = (_rounded(scale * _like_text(rng, shape, block), dtype) for _ in range(2))
        v = _rounded(rng.standard_normal(shape), dtype)
        gates = truth.gates(q, k, block)
        wanted = [fixed[h] if h < len(fixed) else None for h in range(shape[1])]
        thresholds = [
            _between(gates[:, h].ravel(), share, GAP[dtype.name]) if w is None else w
            for h, w in enumerate(wanted)
        ]
        if None not in thresholds:
            threshold = _rounded(np.array(thresholds, np.float64), FP32)
            return Sample(q, k, v, threshold, block, causal, dtype)
    raise JudgeFault(f"no threshold has room among the gates of {shape} in blocks of {block}")


def pointed_case(
    label: str, rng: Rng, shape: Shape, block: int, *, causal: bool = False, dtype: DType = FP32
) -> Case:
    """Return a kernel case in which one key dominates each query's softmax.

    A checkerboard of blocks is listed, so for about half of the queries the dominant key is not.
    """
    b, h, n, d = shape
    k = _rounded(keys_alike(rng, shape), dtype)
    towards = [pointing(x, places(rng, n, n), d**-0.5, LARGE) for x in k.reshape(-1, n, d)]
    q = _rounded(np.reshape(towards, shape), dtype)
    v = _rounded(rng.standard_normal(shape), dtype)
    blocks = np.arange(-(-n // block))
    board = (blocks[:, None] + blocks) % 2 == 0
    kept = np.broadcast_to(np.tril(board) if causal else board, (b, h, *board.shape))
    sample = Sample(q, k, v, np.zeros(h), block, causal, dtype)
    return listed(label, sample, *lists(kept, rng))


def sunken_case(label: str, rng: Rng, shape: Shape, block: int, *, causal: bool = False) -> Case:
    """Return a kernel case in which all blocks are listed and all scores are far below 0.

    A running maximum that starts at 0 makes every exponential 0 in float32.
    """
    b, h, n, d = shape
    q, v = np.abs(rng.standard_normal(shape)) + 1, rng.standard_normal(shape)
    k = -(np.abs(rng.standard_normal(shape)) + 1)
    k *= 2 * LARGE * math.sqrt(d) / np.abs(q @ np.swapaxes(k, -1, -2)).mean()
    blocks = -(-n // block)
    whole = np.ones((blocks, blocks), np.bool_)
    kept = np.broadcast_to(np.tril(whole) if causal else whole, (b, h, blocks, blocks))
    q, k, v = (_rounded(x, FP32) for x in (q, k, v))
    sample = Sample(q, k, v, np.zeros(h), block, causal, FP32)
    return listed(label, sample, *lists(kept, rng))


def gates_at_zero(
    rng: Rng, batch: int, heads: int, depth: int, block: int, *, causal: bool
) -> Sample:
    """Sample gates of which some equal their threshold 0: integer sums, exact in any order.

    Raises JudgeFault if no gate is 0.
    """
    blocks = 6
    shape = (batch, heads, blocks * block, depth)
    counted = np.tril(np.ones((blocks, blocks), np.bool_), -1)
    for _ in range(ATTEMPTS):
        q, k = (rng.integers(-1, 2, (batch, heads, blocks, depth)) for _ in range(2))
        if (((q @ np.swapaxes(k, -1, -2)) == 0) & counted).any((-1, -2)).all():
            q, k = (np.repeat(x, block, 2).astype(np.float64) for x in (q, k))
            v = _rounded(rng.standard_normal(shape), FP32)
            return Sample(q, k, v, np.zeros(heads), block, causal, FP32)
    raise JudgeFault(f"no gate of {shape} in blocks of {block} is 0")


def equal_gates(rng: Rng) -> Sample:
    """Sample gates of which some equal the threshold and some lie slightly below it.

    All sums and quotients are exact in float32, in any order, and not in float16.
    """
    block, blocks, depth = 16, 6, 16
    above = 1 + 2.0**-12
    of_q, of_k = (rng.permutation([1.0, 1.0, above, above, 2.0, 0.0]) for _ in range(2))
    shape = (1, 2, block * blocks, depth)
    q, k = (
        np.broadcast_to(np.repeat(means, block)[:, None], shape).copy() for means in (of_q, of_k)
    )
    threshold = np.full(2, above * math.sqrt(depth))
    return Sample(q, k, rng.standard_normal(shape), threshold, block, causal=False, dtype=FP32)


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance for averages of values up to 5.

    It covers float32 rounding of scores and sums. An absolute error of a score is a relative error
    of its exponential. In 16 bits the softmax weights may also be rounded before they are
    multiplied with the values.
    """
    if case.out.dtype is FP16:
        return Tolerance(2**-9, 4e-3)
    squares = [(a.values**2).sum(-1) for a in case.arguments[:2] if isinstance(a, InputTensor)]
    longest = math.prod(math.sqrt(rows.max()) for rows in squares)
    largest = longest / math.sqrt(case.out.shape[-1])
    return Tolerance(4e-6, 5e-6 + 20 * FP32.unit_roundoff * largest)


def gradient_tolerance(_case: Case) -> Tolerance:
    """Return the tolerance for gradients, which sum about as many products again."""
    return Tolerance(2e-5, 1e-4)


def exact(_case: Case) -> Tolerance:
    """Return the tolerance for a mask: none."""
    return Tolerance(0.0, 0.0)


def _like_text(rng: Rng, shape: Shape, block: int) -> Floats:
    """Sample tokens around one center per block."""
    b, h, n, d = shape
    centers = rng.standard_normal((b, h, -(-n // block), d)) * rng.uniform(0.6, 1.2)
    return np.repeat(centers, block, 2)[:, :, :n] + 0.5 * rng.standard_normal(shape)


def _rounded(values: Floats, dtype: DType) -> Floats:
    return to_float64(to_storage(values, dtype), dtype)


def _between(gates: Floats, share: float, gap: float) -> float | None:
    """Return a threshold that about `share` of the gates reach, amid a wide enough gap, or None."""
    rising = np.sort(gates)
    if rising.size == 1:
        return float(rising[0] - 1.0 if share > 0.5 else rising[0] + 1.0)
    middle = round((1 - share) * rising.size)
    reach = max(2, rising.size // 12)
    first, last = max(1, middle - reach), min(rising.size - 1, middle + reach)
    first = min(first, last)
    widths = rising[first : last + 1] - rising[first - 1 : last]
    place = first + int(np.argmax(widths))
    if widths.max() < 2 * gap:
        return None
    return float((rising[place] + rising[place - 1]) / 2)
