"""Hidden inputs for the kernels of module gemm_tensor_cores, and their references."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from hotloop.judge.adversarial import reductions
from hotloop.judge.adversarial.reductions import odd
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import BF16, FP16, FP32, I32, U8, DType
from hotloop.judge.seeds import Rng

SLACK = 8.0
"""How many roundings of a sum's largest terms are allowed."""

HEIGHT = 30.0
"""Size of one element in each row of `a`; a product that misses the element is far off."""

GROUP = 64
"""Rows of weights that share a scale."""

PAGE = 16
"""Tokens per page of the cache."""


# --- products in CUDA C++ -------------------------------------------------------------------------


def product(a: Floats, b: Floats, _k: int = 0) -> Floats:
    """Return a · b, in float64."""
    return a @ b


def of_product(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum; only products of float32 inputs are rounded, too."""
    a, b = case.arguments[:2]
    assert isinstance(a, InputTensor)
    assert isinstance(b, InputTensor)
    magnitude = float((np.abs(a.values) @ np.abs(b.values)).max())
    derived = Tolerance.derived(FP32, FP32, terms=a.values.shape[1])
    return Tolerance(derived.relative, SLACK * FP32.unit_roundoff * magnitude)


def tiled(rng: Rng, dtype: DType, side: int, depth: int) -> Iterator[Case]:
    """Yield whole tiles of side × side, and of depth along k; their numbers differ."""
    yield _whole(rng, "one tile", dtype, side, side, depth)
    yield _whole(rng, "a long sum", dtype, side, side, 9 * depth)
    yield _whole(rng, "more columns than rows", dtype, side, 3 * side, 2 * depth)
    yield _whole(rng, "more rows than columns", dtype, 3 * side, 2 * side, 3 * depth)


def small_tiled(rng: Rng, dtype: DType, side: int, depth: int) -> Iterator[Case]:
    """Yield a small case, which is run with several thread orders."""
    yield _whole(rng, "two tiles and a sum of several steps", dtype, side, 2 * side, 3 * depth)


def counted_tiled(rng: Rng, dtype: DType, side: int, depth: int) -> Case:
    """Return a case with several tiles and several steps along k."""
    m, n = side * int(rng.integers(1, 3)), side * int(rng.integers(2, 4))
    return _whole(rng, "whole tiles", dtype, m, n, 4 * depth)


def bytes_of_tiles(case: Case, side: int) -> int:
    """Return the bytes of a and b, loaded once per tile of c, and of c."""
    a, _, k = case.arguments
    assert isinstance(a, InputTensor)
    assert isinstance(k, int)
    m, n = case.out.shape
    loads = m * k * (n // side) + k * n * (m // side)
    return loads * a.dtype.bytes + m * n * FP32.bytes


def _whole(rng: Rng, label: str, dtype: DType, m: int, n: int, k: int) -> Case:
    a, b = reductions.spikes(rng, k, HEIGHT, m), rng.standard_normal((k, n))
    return Case(label, (InputTensor(a, dtype), InputTensor(b, dtype), k), TensorSpec((m, n), FP32))


# --- products in Triton ---------------------------------------------------------------------------


def matrices(rng: Rng) -> Iterator[Case]:
    """Yield sizes that end within a tile in all directions, and incomplete groups of tiles."""
    yield _pair(rng, "a single element", 1, 1, 1)
    yield _pair(rng, "whole tiles", 128, 64, 192)
    yield _pair(rng, "odd extents", odd(rng, 65, 99), odd(rng, 33, 99), odd(rng, 65, 99))
    yield _pair(rng, "a long sum", 33, odd(rng, 900, 1500), 40)
    yield _pair(rng, "many rows of tiles", odd(rng, 700, 900), 33, 70)
    yield _pair(rng, "many columns of tiles", 70, 33, odd(rng, 700, 900))


def wide_matrices(rng: Rng) -> Case:
    """Return a case with a dozen 64-wide tiles in either direction, and a short sum."""
    return _pair(rng, "whole tiles", 768, 32, 64 * int(rng.integers(12, 14)))


def large_matrices(rng: Rng) -> Case:
    """Return a case with the sizes of a GPU run, for compilation."""
    return _pair(rng, "whole tiles", 256, 256, 256)


def long_sums(rng: Rng) -> Iterator[Case]:
    """Yield few output elements and long sums, whose lengths no number of parts divides."""
    yield _pair(rng, "a single product", 1, 1, 1)
    yield _pair(rng, "a short sum", 40, 17, 50)
    yield _pair(rng, "a long sum", 64, 4096, 64)
    yield _pair(rng, "an odd long sum", 33, odd(rng, 3000, 5000), 70)
    yield _pair(rng, "several tiles", 130, odd(rng, 1000, 1500), 65)


def counted_long_sum(rng: Rng) -> Case:
    """Return a case with one output tile of 64 × 64."""
    return _pair(rng, "a long sum", 64, 512 * int(rng.integers(8, 11)), 64)


def _pair(rng: Rng, label: str, m: int, k: int, n: int) -> Case:
    a, b = reductions.spikes(rng, k, HEIGHT, m), rng.standard_normal((k, n))
    return Case(label, (InputTensor(a, FP16), InputTensor(b, FP16)), TensorSpec((m, n), FP32))


# --- the epilogue ---------------------------------------------------------------------------------


def with_epilogue(x: Floats, w: Floats, bias: Floats, residual: Floats) -> Floats:
    """Return gelu(x · w + bias) + residual with the exact (erf) gelu, in float64."""
    v = x @ w + bias
    return 0.5 * v * (1.0 + _erf(v / math.sqrt(2.0))) + residual


_erf: Callable[[Floats], Floats] = np.vectorize(math.erf, otypes=[np.float64])


def layers(rng: Rng) -> Iterator[Case]:
    """Yield sizes that end within a tile, and sums near 0, where the two gelus differ most."""
    yield _layer(rng, "a single element", 1, 1, 1)
    yield _layer(rng, "whole tiles", 128, 64, 64)
    yield _layer(rng, "odd extents", odd(rng, 65, 99), odd(rng, 33, 99), odd(rng, 65, 99))
    yield _layer(rng, "a long sum", 20, odd(rng, 500, 700), 40)


def counted_layer(rng: Rng) -> Case:
    """Return a case with one column of tiles."""
    return _layer(rng, "whole tiles", 64 * int(rng.integers(4, 6)), 64, 64)


def _layer(rng: Rng, label: str, m: int, k: int, n: int) -> Case:
    x, w = rng.standard_normal((m, k)), rng.standard_normal((k, n)) / math.sqrt(k)
    bias, residual = rng.uniform(-2, 2, n), rng.uniform(-0.05, 0.05, (m, n))
    tensors = tuple(InputTensor(v, FP16) for v in (x, w, bias, residual))
    return Case(label, tensors, TensorSpec((m, n), FP16))


def of_layer(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum that is stored in float16."""
    x = case.arguments[0]
    assert isinstance(x, InputTensor)
    derived = Tolerance.derived(FP16, FP32, terms=x.values.shape[1])
    return Tolerance(derived.relative, 3e-5)


# --- weights of four bits -------------------------------------------------------------------------


def dequantized_product(x: Floats, packed: Floats, scales: Floats) -> Floats:
    """Return x · w in float64; a byte's low four bits are row 2i of w, the high ones row 2i + 1."""
    codes = packed.astype(np.int64)
    w = np.stack([codes & 15, codes >> 4], axis=1).reshape(-1, codes.shape[1]) - 8.0
    return x @ (w * np.repeat(scales, GROUP, axis=0))


def packed_weights(rng: Rng) -> Iterator[Case]:
    """Yield scales that differ by group and column, and rows and columns that no tile divides."""
    yield _packed(rng, "one token, one group", 1, 1, 64)
    yield _packed(rng, "an odd number of tokens and columns", odd(rng, 17, 40), 3, odd(rng, 65, 99))
    yield _packed(rng, "many groups", 5, 20, 70)
    yield _packed(rng, "few columns", 16, 2, 3)


def counted_packed(rng: Rng) -> Case:
    """Return a batch of 16 tokens."""
    return _packed(rng, "16 tokens", 16, int(rng.integers(7, 10)), 256)


def _packed(rng: Rng, label: str, m: int, groups: int, n: int) -> Case:
    k = groups * GROUP
    x = reductions.spikes(rng, k, HEIGHT, m)
    packed = rng.integers(0, 256, (k // 2, n))
    scales = 2.0 ** rng.uniform(-7, 0, (groups, n))
    tensors = (InputTensor(x, FP16), InputTensor(packed, U8), InputTensor(scales, FP16))
    return Case(label, tensors, TensorSpec((m, n), FP32))


def of_packed(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum of products with float16-rounded weights."""
    x, packed, scales = case.arguments
    assert isinstance(x, InputTensor)
    assert isinstance(packed, InputTensor)
    assert isinstance(scales, InputTensor)
    magnitude = float(np.abs(x.values).sum(axis=1).max() * 8 * scales.values.max())
    derived = Tolerance.derived(FP32, FP32, terms=x.values.shape[1])
    # A kernel may round the dequantized weight to float16 before it multiplies.
    random = magnitude / math.sqrt(x.values.shape[1])
    return Tolerance(derived.relative, 4 * FP16.unit_roundoff * random)


# --- attention of one token -----------------------------------------------------------------------


def attended(q: Floats, k: Floats, v: Floats, pages: Floats, lengths: Floats) -> Floats:
    """Return softmax(q · kᵀ / √d) · v over each sequence's pages, in float64.

    Shape [sequences, heads, d].
    """
    out = np.empty_like(q)
    share = q.shape[1] // k.shape[2]
    for i, length in enumerate(lengths.astype(np.int64)):
        mine = pages[i].astype(np.int64)[: -(-length // PAGE)]
        keys, values = (
            np.repeat(cache[mine].reshape(-1, *cache.shape[2:])[:length], share, axis=1)
            for cache in (k, v)
        )
        scores = np.einsum("hd,lhd->hl", q[i], keys) / math.sqrt(q.shape[2])
        weights = np.exp(scores - scores.max(axis=1, keepdims=True))
        out[i] = np.einsum("hl,lhd->hd", weights / weights.sum(axis=1, keepdims=True), values)
    return out


def caches(rng: Rng) -> Iterator[Case]:
    """Yield lengths at and near the ends of pages and splits, with unused table entries."""
    yield _cache(rng, "a single token", [1], 2, 1, 32)
    yield _cache(rng, "one page exactly, and one token more", [PAGE, PAGE + 1], 4, 2, 64)
    lengths = [odd(rng, 100, 400), 1, odd(rng, 60, 70), PAGE * int(rng.integers(8, 20))]
    yield _cache(rng, "sequences of different lengths", lengths, 8, 2, 64)
    yield _cache(rng, "a head of the cache for each query head", [77, 130], 3, 3, 64)
    yield _cache(rng, "one head of the cache for all", [odd(rng, 200, 300)], 8, 1, 128)


def counted_cache(rng: Rng) -> Case:
    """Return one long sequence of whole pages."""
    return _cache(rng, "a long sequence", [PAGE * int(rng.integers(30, 33))], 8, 2, 64)


def _cache(rng: Rng, label: str, lengths: list[int], heads: int, kv_heads: int, d: int) -> Case:
    most = -(-max(lengths) // PAGE) + 1
    count = len(lengths) * most + 3
    # Slots after a sequence's end, and pages of no sequence, hold large values that must not be
    # used.
    k, v = (rng.standard_normal((count, PAGE, kv_heads, d)) for _ in range(2))
    table = rng.permutation(count)[: len(lengths) * most].reshape(len(lengths), most)
    unused = np.ones((count, PAGE), np.bool_)
    for row, length in zip(table, lengths, strict=True):
        tokens = np.arange(length)
        unused[row[tokens // PAGE], tokens % PAGE] = False
    k[unused], v[unused] = 9.0, 300.0
    q = 2.0 * rng.standard_normal((len(lengths), heads, d))
    tensors = (
        *(InputTensor(x, FP16) for x in (q, k, v)),
        InputTensor(table, I32),
        InputTensor(np.array(lengths), I32),
    )
    return Case(label, tensors, TensorSpec(q.shape, FP32))


def of_attention(_case: Case) -> Tolerance:
    """Return the tolerance: weights may be rounded to float16; values are about 1."""
    return Tolerance(4 * FP16.unit_roundoff, 4 * FP16.unit_roundoff)


def bytes_of_cache(case: Case) -> int:
    """Return the bytes of existing tokens' keys and values once, and of queries and results."""
    q, k, _, _, lengths = case.arguments
    assert isinstance(q, InputTensor)
    assert isinstance(k, InputTensor)
    assert isinstance(lengths, InputTensor)
    tokens = int(lengths.values.sum()) * math.prod(k.values.shape[2:])
    return 2 * tokens * FP16.bytes + q.values.size * (FP16.bytes + FP32.bytes)


# --- sizes of the CUDA tasks ----------------------------------------------------------------------

F32_TILES = {"dtype": FP32, "side": 64, "depth": 16}
WARP_TILES = {"dtype": BF16, "side": 16, "depth": 16}
BLOCK_TILES = {"dtype": BF16, "side": 64, "depth": 64}

of_f32_tiles = (partial(tiled, **F32_TILES), partial(small_tiled, **F32_TILES))
of_warp_tiles = (partial(tiled, **WARP_TILES), partial(small_tiled, **WARP_TILES))
of_block_tiles = (partial(tiled, **BLOCK_TILES), partial(small_tiled, **BLOCK_TILES))
