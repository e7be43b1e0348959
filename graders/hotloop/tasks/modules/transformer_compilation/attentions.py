"""Attention in float64, its tolerance, and difficult inputs for it.

Heads come first: queries are [heads, n, d], keys and values [heads / group, m, d]. With `causal`,
query i sees the keys up to i + m − n, so the last query sees all keys. A query that sees no key
gives zeros, or the number that a take-home's variant sets.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.adversarial.attention import keys_alike, pointing, scored
from hotloop.judge.adversarial.recurrences import staircases
from hotloop.judge.adversarial.reductions import Places, lifted, places
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP16, FP32, DType

Rng = np.random.Generator
Shape = tuple[int, int, int, int]
"""Heads, queries, keys, and head dimension."""

LARGE = 120.0
"""Size of large scores: in float32, exp(−104) is 0 and exp(89) overflows."""

SMALL_RISE = 2.0
"""A maximum that rises by this much scales the earlier sum by a seventh."""


def attention(q: Floats, k: Floats, v: Floats, scale: float, causal: bool) -> Floats:
    """Return softmax(scale · q kᵀ) v."""
    return attend(q, k, v, scale, causal, 0.0, constant("EMPTY", 0, range(1, 100)))


def capped_attention(q: Floats, k: Floats, v: Floats, causal: bool, cap: float) -> Floats:
    """Return attention with soft-capped scores, cap · tanh(score / cap); 0 is no cap."""
    return attend(
        q, k, v, 1 / math.sqrt(q.shape[-1]), causal, cap, constant("EMPTY", 0, range(1, 100))
    )


def attend(
    q: Floats, k: Floats, v: Floats, scale: float, causal: bool, cap: float, empty: int
) -> Floats:
    """Return attention.

    cap: soft cap of scores; 0 is none. empty: output of a query that sees no key.
    """
    weights, total, _ = weights_of(q, k, scale, causal, cap)
    group = len(q) // len(k)
    out: Floats = weights @ np.repeat(v, group, axis=0) / np.where(total == 0.0, 1.0, total)
    return np.where(total == 0.0, empty, out)


def weights_of(
    q: Floats, k: Floats, scale: float, causal: bool, cap: float = 0.0
) -> tuple[Floats, Floats, Floats]:
    """Return exp(score − maximum), its sum over the keys, and the maximum.

    All are 0 for a query that sees no key.
    """
    scores = scale * (q @ np.repeat(k, len(q) // len(k), axis=0).transpose(0, 2, 1))
    if cap:
        scores = cap * np.tanh(scores / cap)
    if causal:
        scores = np.where(visible(q.shape[1], k.shape[1]), scores, -np.inf)
    maximum: Floats = scores.max(axis=-1, keepdims=True)
    maximum = np.where(np.isneginf(maximum), 0.0, maximum)
    weights = np.exp(scores - maximum)
    return weights, weights.sum(axis=-1, keepdims=True), maximum


def visible(queries: int, keys: int) -> NDArray[np.bool_]:
    """Return which keys each query sees, bool [queries, keys]: the last query sees all."""
    return np.arange(keys) <= np.arange(queries)[:, None] + keys - queries


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance of an output, from the errors of the softmax weights.

    A weight's error is relative to the weight, so an output's error is relative to the largest
    value. It comes from the scores, which are sums of d products, and from rounding weights to the
    dtype of the values.
    """
    q, k, v = (a.rounded() for a in case.arguments[:3] if isinstance(a, InputTensor))
    scale = next((a for a in case.arguments[3:4] if isinstance(a, float)), q.shape[-1] ** -0.5)
    scores = sum_of_products(q, k, scale)
    return derived(case.out.dtype, q.shape[-1], k.shape[1], scores, float(np.abs(v).max()))


def sum_of_products(q: Floats, k: Floats, scale: float) -> float:
    """Return the largest sum of absolute products in a score; rounding is relative to it."""
    repeated = np.repeat(np.abs(k), len(q) // len(k), axis=0)
    return abs(scale) * float((np.abs(q) @ repeated.transpose(0, 2, 1)).max())


def derived(out: DType, width: int, keys: int, scores: float, values: float) -> Tolerance:
    """Return the tolerance for sums of `keys` values, with scores of `width` products each.

    scores: the largest sum of absolute products in a score. values: the largest absolute value.
    """
    rounding = FP32.unit_roundoff * (math.sqrt(keys) + scores * math.sqrt(width) + 8)
    stored = out.unit_roundoff if out is not FP32 else 0.0
    return Tolerance(2 * out.unit_roundoff, values * (4 * rounding + stored) + 2 * out.smallest)


def capped_cases(rng: Rng) -> Iterator[Case]:
    """Yield cases for the CPU; one odd length is sampled, the rest are fixed edge cases."""
    odd = int(rng.integers(300, 700)) | 1
    yield _capped("a single query and key", rng, (1, 1, 1, 8), causal=True)
    yield _capped("an odd number of queries, all keys", rng, (3, odd, odd + 40, 32))
    yield _capped("causal", rng, (2, odd, odd, 64), causal=True)
    yield _capped("causal, with a cap", rng, (2, odd, odd, 64), causal=True, cap=20.0)
    yield _capped("a cap that is reached", rng, (2, 200, 200, 64), cap=2.0, spread=3.0)
    yield _capped("a cap that is reached, causal", rng, (2, 300, 300, 32), True, 2.0, 3.0)
    yield _capped("causal, more keys than queries", rng, (2, 130, odd + 200, 64), causal=True)
    yield _capped("queries that see no key", rng, (2, odd + 200, 130, 64), causal=True, cap=9.0)
    yield from _deciding_cases(rng, (2, 260, odd, 64), odd)


def _deciding_cases(rng: Rng, shape: Shape, keys: int) -> Iterator[Case]:
    """Yield cases with scores in the hundreds: one key, or one step of the scores, dominates."""
    scale = shape[3] ** -0.5
    for label, causal, cap in (
        ("one key decides each query", False, 0.0),
        ("one key decides each query, causal", True, 0.0),
        ("one key decides each query, causal, with a cap that overflows", True, LARGE),
    ):
        tensors = _pointed(rng, shape, FP32, scale, 2 * LARGE if cap else LARGE, causal)
        yield Case(label, (*tensors, causal, cap), tensors[0].spec)
    tensors = _stepped(rng, (6, 130, keys, 16), FP32, 0.25)
    label = "scores that rise or fall by steps, or lie far from zero"
    yield Case(label, (*tensors, False, 0.0), tensors[0].spec)


def _capped(
    label: str,
    rng: Rng,
    shape: Shape,
    causal: bool = False,
    cap: float = 0.0,
    spread: float = 1.0,
) -> Case:
    tensors = _tensors(rng, shape, FP32, spread)
    return Case(label, (*tensors, causal, cap), tensors[0].spec)


def kernel_cases(rng: Rng) -> Iterator[Case]:
    """Yield small float16 and float32 cases; the Triton interpreter is slow."""
    odd = int(rng.integers(70, 120)) | 1
    yield _kernel_case("a single query and key", rng, (1, 1, 1, 16), causal=True)
    yield _kernel_case("all keys, sizes of whole blocks", rng, (2, 128, 256, 64))
    yield _kernel_case("an odd number of queries and keys", rng, (2, odd, odd + 70, 32))
    yield _kernel_case("causal", rng, (2, odd + 60, odd + 60, 64), causal=True)
    yield _kernel_case("causal, more keys than queries", rng, (2, odd, odd + 99, 32), causal=True)
    yield _kernel_case("queries that see no key", rng, (2, odd + 130, odd, 32), causal=True)
    yield _kernel_case("a negative scale", rng, (1, odd, odd + 70, 16), scale=-0.4)
    yield _pointed_case("one key decides each query", rng, (1, 70, odd + 70, 32))
    yield _pointed_case(
        "one key decides each query, causal", rng, (2, odd, odd + 30, 32), causal=True
    )
    tensors = _stepped(rng, (6, 20, 200, 16), FP32, 0.25)
    label = "scores that rise or fall by steps, or lie far from zero"
    yield Case(label, (*tensors, 0.25, False), tensors[0].spec)
    yield _kernel_case("four heads of queries for one of keys", rng, (8, 70, odd, 32), group=4)
    yield _kernel_case("float16, causal", rng, (2, odd + 60, odd + 60, 64), dtype=FP16, causal=True)
    yield _pointed_case(
        "float16, one key decides each query", rng, (2, 70, 200, 64), dtype=FP16, causal=True
    )
    yield _long_case("float16, 10,000 keys that count alike", rng)
    yield _kernel_case("a width of 128", rng, (1, 70, 100, 128), dtype=FP16)


def _long_case(label: str, rng: Rng) -> Case:
    """Return a case in which the sum of weighted values overflows float16."""
    q = 0.01 * rng.standard_normal((1, 16, 16))
    k, v = rng.standard_normal((2, 1, 10_001, 16))
    tensors = InputTensor(q, FP16), InputTensor(k, FP16), InputTensor(8.0 + 0.1 * v, FP16)
    return Case(label, (*tensors, 0.25, False), TensorSpec(q.shape, FP16))


def gpu_cases(rng: Rng) -> Iterator[Case]:
    """Yield float16 cases only: on a GPU, tl.dot rounds float32 to TF32 by default."""
    odd = int(rng.integers(700, 1200)) | 1
    for label, shape, causal, group in (
        ("all keys", (8, 1024, 1024, 64), False, 1),
        ("causal, odd sizes", (4, odd, odd, 64), True, 1),
        ("causal, more keys than queries", (4, 130, odd, 128), True, 1),
        ("queries that see no key", (4, odd, 130, 64), True, 1),
        ("grouped heads", (8, odd, odd, 64), True, 4),
    ):
        yield _kernel_case(label, rng, shape, dtype=FP16, causal=causal, group=group)
    for causal in (False, True):
        label = f"one key decides each query{', causal' if causal else ''}"
        yield _pointed_case(label, rng, (4, odd, odd + 99, 64), dtype=FP16, causal=causal)


def counted_case(rng: Rng) -> Case:
    """Return the case whose bytes are counted: causal, so half of the blocks need no loads."""
    return _kernel_case("512 queries, causal", rng, (2, 512, 512, 64), causal=True, spread=3.0)


def compiled_case(rng: Rng) -> Case:
    """Return a case with the dtype of a GPU run, for compilation."""
    return _kernel_case("float16, 512", rng, (2, 512, 512, 64), dtype=FP16, causal=True)


def _kernel_case(
    label: str,
    rng: Rng,
    shape: Shape,
    *,
    dtype: DType = FP32,
    causal: bool = False,
    scale: float | None = None,
    spread: float = 1.0,
    group: int = 1,
) -> Case:
    q, k, v = _tensors(rng, shape, dtype, spread, group)
    factor = scale if scale is not None else shape[3] ** -0.5
    return Case(label, (q, k, v, factor, causal), TensorSpec(q.values.shape, dtype))


def _tensors(
    rng: Rng, shape: Shape, dtype: DType, spread: float, group: int = 1
) -> tuple[InputTensor, InputTensor, InputTensor]:
    heads, queries, keys, width = shape
    q = rng.standard_normal((heads, queries, width)) * spread
    k, v = rng.standard_normal((2, heads // group, keys, width))
    return InputTensor(q, dtype), InputTensor(k, dtype), InputTensor(v, dtype)


def _pointed_case(
    label: str, rng: Rng, shape: Shape, *, dtype: DType = FP32, causal: bool = False
) -> Case:
    scale = shape[3] ** -0.5
    tensors = _pointed(rng, shape, dtype, scale, LARGE, causal)
    return Case(label, (*tensors, scale, causal), tensors[0].spec)


def _pointed(
    rng: Rng, shape: Shape, dtype: DType, scale: float, height: float, causal: bool
) -> tuple[InputTensor, InputTensor, InputTensor]:
    """Return inputs in which one key's score is by far the largest.

    With `causal`, in the first head it is the last visible key or any key before it; in the other
    heads it is the first hidden key.
    """
    heads, queries, keys, width = shape
    k = keys_alike(rng, (heads, keys, width))
    v = rng.standard_normal(k.shape)
    points = [_deciding(rng, queries, keys, causal, head > 0) for head in range(heads)]
    q = np.stack([pointing(k[n], place, scale, height) for n, place in enumerate(points)])
    return InputTensor(q, dtype), InputTensor(k, dtype), InputTensor(v, dtype)


def _deciding(rng: Rng, queries: int, keys: int, causal: bool, hidden: bool) -> Places:
    """Return the dominant key of each query, spread over all parts of the keys."""
    anywhere = places(rng, keys, queries)
    if not causal:
        return anywhere
    last = np.arange(queries) + keys - queries
    if hidden:
        return np.clip(last + 1, 0, keys - 1)
    return np.where(rng.random(queries) < 0.5, np.clip(last, 0, None), anywhere % (last + 1))


def _stepped(
    rng: Rng, shape: Shape, dtype: DType, scale: float
) -> tuple[InputTensor, InputTensor, InputTensor]:
    """Return six heads of scores: in small or large steps, or far below and above 0."""
    heads, queries, keys, width = shape
    rows = (
        staircases(rng, keys, SMALL_RISE, 2),
        staircases(rng, keys, LARGE, 2),
        lifted(rng, keys, LARGE, heads - 4),
    )
    q, k = scored(rng, np.concatenate(rows), queries, width, scale)
    return (
        InputTensor(q, dtype),
        InputTensor(k, dtype),
        InputTensor(rng.standard_normal(k.shape), dtype),
    )
