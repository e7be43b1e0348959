"""Gradients of attention in float64, and cases for a kernel that computes them.

The candidate gets what a forward pass kept: the output, and for each query the log of its sum of
exponentials (lse). The gradients of q, k and v are concatenated on axis 1.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP16, FP32, DType
from hotloop.tasks.modules.transformer_compilation.attentions import (
    Shape,
    attend,
    sum_of_products,
    visible,
    weights_of,
)

Rng = np.random.Generator


def gradients(
    q: Floats,
    k: Floats,
    v: Floats,
    out: Floats,
    dout: Floats,
    lse: Floats,
    scale: float,
    causal: bool,
) -> Floats:
    """Return the gradients of Σ dout · attention for q, k and v, concatenated on axis 1.

    In a take-home's variant, they are multiplied by LOSS_SCALE.
    """
    weights = _weights(q, k, lse, scale, causal)
    dscores = _dscores(weights, v, out, dout)
    turned = weights.transpose(0, 2, 1)
    parts = (scale * dscores @ k, scale * dscores.transpose(0, 2, 1) @ q, turned @ dout)
    return constant("LOSS_SCALE", 1, range(2, 401)) * np.concatenate(parts, axis=1)


def _weights(q: Floats, k: Floats, lse: Floats, scale: float, causal: bool) -> Floats:
    """Return the softmax weights. lse: −inf for a query that sees no key."""
    finite = np.where(np.isneginf(lse), 0.0, lse)
    weights = np.exp(scale * q @ k.transpose(0, 2, 1) - finite[..., None])
    return np.where(visible(q.shape[1], k.shape[1]), weights, 0.0) if causal else weights


def _dscores(weights: Floats, v: Floats, out: Floats, dout: Floats) -> Floats:
    delta = (dout * out).sum(-1, keepdims=True)
    return weights * (dout @ v.transpose(0, 2, 1) - delta)


def log_sums(q: Floats, k: Floats, scale: float, causal: bool) -> Floats:
    """Return log Σ exp(score) for each query: [heads, queries]."""
    _, total, maximum = weights_of(q, k, scale, causal)
    with np.errstate(divide="ignore"):
        return (np.log(total) + maximum)[..., 0]


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance of the gradients.

    Each softmax weight has a relative error, its factors have errors relative to their sums of
    absolute products, and sums err in proportion to their absolute terms.
    """
    q, k, v, out, dout, lse = (
        a.rounded() for a in case.arguments[:6] if isinstance(a, InputTensor)
    )
    factor = next(a for a in case.arguments[6:7] if isinstance(a, float))
    causal = case.arguments[7] is True
    weights = _weights(q, k, lse, factor, causal)
    dscores = _dscores(weights, v, out, dout)
    width, keys = q.shape[2], k.shape[1]
    summed = sum_of_products(q, k, factor) * math.sqrt(width)
    share = 4 * FP32.unit_roundoff * (math.sqrt(keys) + summed + 8)
    if case.out.dtype is not FP32:
        share += 2 * case.out.dtype.unit_roundoff

    def largest(terms: Floats) -> float:
        """Return the largest gradient of q or k for these absolute score gradients."""
        of_q, of_k = terms @ np.abs(k), terms.transpose(0, 2, 1) @ np.abs(q)
        return abs(factor) * float(max(of_q.max(), of_k.max()))

    products = np.abs(dout) @ np.abs(v).transpose(0, 2, 1)
    products += np.abs(dout * out).sum(-1, keepdims=True)
    of_v = float((weights.transpose(0, 2, 1) @ np.abs(dout)).max())
    absolute = share * max(of_v, largest(np.abs(dscores)))
    absolute += 4 * FP32.unit_roundoff * math.sqrt(width) * largest(weights * products)
    return Tolerance(
        2 * case.out.dtype.unit_roundoff, constant("LOSS_SCALE", 1, range(2, 401)) * absolute
    )


def cases(rng: Rng) -> Iterator[Case]:
    """Yield small cases, because the Triton interpreter is slow."""
    odd = int(rng.integers(70, 100)) | 1
    yield _case("a single query and key", rng, (1, 1, 1, 16), causal=True)
    yield _case("all keys, sizes of whole blocks", rng, (2, 128, 64, 32))
    yield _case("an odd number of queries and keys", rng, (2, odd, odd + 70, 32))
    yield _case("causal", rng, (2, odd + 60, odd + 60, 64), causal=True)
    yield _case("causal, more keys than queries", rng, (2, odd, odd + 99, 32), causal=True)
    yield _case("queries that see no key", rng, (2, odd + 100, odd, 32), causal=True)
    yield _case("a scale that is not the root of the width", rng, (1, odd, odd, 16), scale=0.7)
    yield _case("float16, causal", rng, (2, odd + 60, odd + 60, 64), dtype=FP16, causal=True)


def gpu_cases(rng: Rng) -> Iterator[Case]:
    """Yield float16 cases only, as for the forward kernel."""
    odd = int(rng.integers(500, 800)) | 1
    yield _case("all keys", rng, (4, 512, 512, 64), dtype=FP16)
    yield _case("causal, odd sizes", rng, (2, odd, odd, 64), dtype=FP16, causal=True)
    yield _case("queries that see no key", rng, (2, odd, 130, 64), dtype=FP16, causal=True)


def counted_case(rng: Rng) -> Case:
    """Return the case whose bytes are counted."""
    return _case("384 queries, causal", rng, (2, 384, 384, 64), causal=True)


def compiled_case(rng: Rng) -> Case:
    """Return a case with the dtype of a GPU run, for compilation."""
    return _case("float16, 256", rng, (2, 256, 256, 64), dtype=FP16, causal=True)


def _case(
    label: str,
    rng: Rng,
    shape: Shape,
    *,
    dtype: DType = FP32,
    causal: bool = False,
    scale: float | None = None,
) -> Case:
    heads, queries, keys, width = shape
    factor = scale if scale is not None else width**-0.5
    sizes = ((heads, queries, width), (heads, keys, width), (heads, keys, width))
    q, k, v = (InputTensor(rng.standard_normal(size), dtype) for size in sizes)
    exact = (q.rounded(), k.rounded())
    out = InputTensor(attend(*exact, v.rounded(), factor, causal, cap=0.0, empty=0), dtype)
    dout = InputTensor(rng.standard_normal(sizes[0]), dtype)
    lse = InputTensor(log_sums(*exact, factor, causal), FP32)
    return Case(
        label,
        (q, k, v, out, dout, lse, factor, causal),
        TensorSpec((heads, queries + 2 * keys, width), dtype),
    )
