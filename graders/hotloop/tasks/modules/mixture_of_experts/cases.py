"""Hidden inputs for the tensor functions of module mixture_of_experts, and their references."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.adversarial import reductions
from hotloop.judge.adversarial.reductions import odd
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP16, FP32, I32, I64
from hotloop.judge.seeds import Rng

Ints = NDArray[np.int64]

SLACK = 8.0
"""How many roundings of a sum's largest terms are allowed."""

HEIGHT = 30.0
"""Size of one element in each row of `x`; a product that misses the element is far off."""


def chosen(rng: Rng, tokens: int, experts: int, k: int, skew: float = 0.0) -> Ints:
    """Return k different experts for each token, in random order.

    skew: expert e is chosen with a probability of about (e + 1) to the power of −skew, after a
        random renumbering.
    """
    popular = rng.permutation(-skew * np.log1p(np.arange(experts)))
    scores = popular + rng.gumbel(size=(tokens, experts))
    return np.argsort(-scores, axis=1)[:, :k].astype(np.int64)


# --- the router's backward pass -------------------------------------------------------------------


def routed(rng: Rng) -> Iterator[Case]:
    """Yield routings by one expert, by all, with a skew, and with logits that overflow exp."""
    yield _routing(rng, "one expert a token", odd(rng, 20, 40), 5, 1)
    yield _routing(rng, "two of eight experts", odd(rng, 40, 80), 8, 2)
    yield _routing(rng, "all experts are popular ones", odd(rng, 60, 90), 17, 4, skew=2.0)
    yield _routing(rng, "every expert is chosen", 12, 3, 3)
    yield _routing(rng, "logits of hundreds", odd(rng, 30, 50), 6, 2, scale=300.0)
    yield _routing(rng, "the loss of the load balance alone", 64, 16, 4, weights=0.0, z=0.0)
    yield _routing(rng, "the z-loss alone", 64, 16, 4, weights=0.0, balance=0.0)


def _routing(
    rng: Rng,
    label: str,
    tokens: int,
    experts: int,
    k: int,
    *,
    skew: float = 0.5,
    scale: float = 1.0,
    weights: float = 1.0,
    balance: float = 2.0,
    z: float = 0.5,
) -> Case:
    logits = scale * rng.standard_normal((tokens, experts))
    ids = chosen(rng, tokens, experts, k, skew)
    gradient = weights * rng.standard_normal((tokens, k))
    arguments = (
        InputTensor(logits, FP32),
        InputTensor(ids, I64),
        InputTensor(gradient, FP32),
        balance * float(rng.uniform(0.5, 1.0)),
        z * float(rng.uniform(0.5, 1.0)) / scale,
    )
    return Case(label, arguments, TensorSpec(logits.shape, FP32))


def route_gradient(
    logits: Floats, experts: Floats, gradient: Floats, balance: float, z: float
) -> Floats:
    """Return the gradient of weights, balance loss and z-loss with respect to logits, in float64.

    Shape [tokens, experts]. The share of choices is a constant: it has no derivative.
    """
    (tokens, count), ids = logits.shape, experts.astype(np.int64)
    shifted = np.exp(logits - logits.max(1, keepdims=True))
    p = shifted / shifted.sum(1, keepdims=True)
    lse = np.log(shifted.sum(1)) + logits.max(1)
    picked = np.take_along_axis(logits, ids, 1)
    w = np.exp(picked - picked.max(1, keepdims=True))
    w /= w.sum(1, keepdims=True)
    out = np.zeros_like(logits)
    np.put_along_axis(out, ids, w * (gradient - (gradient * w).sum(1, keepdims=True)), 1)
    slope = balance * count / tokens * np.bincount(ids.ravel(), minlength=count) / ids.size
    out += p * (slope - (p * slope).sum(1, keepdims=True))
    return out + 2 * z / tokens * lse[:, None] * p


def of_routing(case: Case) -> Tolerance:
    """Return the tolerance: a few roundings of the largest term of the sum."""
    logits, _, gradient, balance, z = case.arguments
    assert isinstance(logits, InputTensor)
    assert isinstance(gradient, InputTensor)
    assert isinstance(balance, float)
    assert isinstance(z, float)
    (tokens, experts), height = logits.values.shape, float(np.abs(logits.values).max())
    terms = float(np.abs(gradient.values).max()) + balance * experts / tokens
    terms += 2 * z * (height + math.log(experts)) / tokens
    # An exponent of hundreds carries a rounding of its own size into the probabilities.
    return Tolerance(1e-4, SLACK * FP32.unit_roundoff * terms * (1 + height))


# --- rows by expert -------------------------------------------------------------------------------


def rows_by_expert(x: Floats, experts: Floats, _num_experts: int) -> Floats:
    """Return the rows of x by expert, and by token within an expert, in float64."""
    order = np.argsort(experts.ravel(), kind="stable")
    return x[order // experts.shape[1]]


def tokens_to_permute(rng: Rng) -> Iterator[Case]:
    """Yield few and many experts, popular and unused ones, and tokens that no block divides."""
    yield _rows(rng, "a single token", 1, 1, 1, 8)
    yield _rows(rng, "two of eight experts", odd(rng, 90, 130), 8, 2, 64)
    yield _rows(rng, "most tokens choose the same experts", odd(rng, 200, 300), 12, 2, 40, skew=4.0)
    yield _rows(rng, "more experts than tokens", odd(rng, 10, 20), odd(rng, 60, 100), 6, 33)
    yield _rows(rng, "every expert is chosen", odd(rng, 33, 63), 4, 4, 130)


def counted_tokens(rng: Rng) -> Case:
    """Return whole blocks of tokens, and rows of a few hundred bytes."""
    return _rows(rng, "256 tokens", 256, 8, int(rng.integers(4, 6)), 256, skew=0.5)


def many_tokens(rng: Rng) -> Case:
    """Return the sizes of a GPU run, for compilation."""
    return _rows(rng, "many tokens", 256, 64, 8, 256)


def _rows(
    rng: Rng, label: str, tokens: int, experts: int, k: int, width: int, skew: float = 0.0
) -> Case:
    ids = chosen(rng, tokens, experts, k, skew)
    inputs = (InputTensor(rng.standard_normal((tokens, width)), FP16), InputTensor(ids, I32))
    return Case(label, (*inputs, experts), TensorSpec((tokens * k, width), FP16))


# --- a grouped product ----------------------------------------------------------------------------


def grouped_product(x: Floats, w: Floats, offsets: Floats) -> Floats:
    """Return x · w[e] for the rows from offsets[e] to offsets[e + 1], in float64."""
    cuts = offsets.astype(np.int64)
    ends = zip(w, cuts, cuts[1:], strict=False)
    return np.concatenate([x[start:end] @ matrix for matrix, start, end in ends])


def groups(rng: Rng) -> Iterator[Case]:
    """Yield experts with a single row, with none, and with almost all rows; extents are odd."""
    yield _group(rng, "a single row", [1], 1, 1)
    yield _group(rng, "whole tiles", [64, 128, 64], 64, 64)
    yield _group(rng, "experts without rows", [0, odd(rng, 65, 99), 0, 0, 3, 0], 40, 70)
    yield _group(rng, "one expert has almost all rows", [1, odd(rng, 200, 300), 2, 1], 33, 65)
    yield _group(rng, "one row an expert", [1] * odd(rng, 20, 30), odd(rng, 65, 99), 33)
    sizes = [int(rng.integers(1, 80)) for _ in range(9)]  # drawn singly: twins have the same sum
    yield _group(rng, "many incomplete tiles", sizes, 64, 130)


def counted_groups(rng: Rng) -> Case:
    """Return a popular expert and others with a few rows; how many have none differs by call."""
    used = int(rng.integers(1, 8))
    rest = rng.multinomial(128, rng.dirichlet(np.full(used, 4.0))).tolist()
    sizes = [512, *rest, *[0] * (7 - used)]
    return _group(rng, "640 rows of eight experts", sizes, 32, 1024)


def _group(rng: Rng, label: str, sizes: list[int], k: int, n: int) -> Case:
    sizes = [int(size) for size in rng.permutation(sizes)]
    rows, experts = sum(sizes), len(sizes)
    x = reductions.spikes(rng, k, HEIGHT, rows)
    tensors = (
        InputTensor(x, FP16),
        InputTensor(rng.standard_normal((experts, k, n)), FP16),
        InputTensor(np.concatenate([[0], np.cumsum(sizes)]), I32),
    )
    return Case(label, tensors, TensorSpec((rows, n), FP32))


def bytes_of_groups(case: Case) -> int:
    """Return the bytes of rows and results once, and of the weights of experts that have rows."""
    x, w, offsets = case.arguments
    assert isinstance(x, InputTensor)
    assert isinstance(w, InputTensor)
    assert isinstance(offsets, InputTensor)
    experts = int((np.diff(offsets.values) > 0).sum())
    weights = experts * math.prod(w.values.shape[1:])
    return (x.values.size + weights) * FP16.bytes + math.prod(case.out.shape) * FP32.bytes


def bytes_of_squares(case: Case) -> int:
    """Return the bytes that are loaded if squares of 4 × 4 tiles of 64 share what they load."""
    x, w, offsets = case.arguments
    assert isinstance(x, InputTensor)
    assert isinstance(w, InputTensor)
    assert isinstance(offsets, InputTensor)
    _, k, n = w.values.shape
    squares = int((-(-np.diff(offsets.values) // 256)).sum())
    return (x.values.size * -(-n // 256) + squares * k * n) * FP16.bytes


def of_group(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum."""
    x, w = case.arguments[:2]
    assert isinstance(x, InputTensor)
    assert isinstance(w, InputTensor)
    height = float(np.abs(x.values).sum(1).max() * np.abs(w.values).max())
    derived = Tolerance.derived(FP32, FP32, terms=x.values.shape[1])
    return Tolerance(derived.relative, SLACK * FP32.unit_roundoff * height)
