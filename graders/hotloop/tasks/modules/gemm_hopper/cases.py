"""Hidden inputs for the kernels of module gemm_hopper, and their references.

Cases that check a pipeline have more steps than any number of stages that fits into the launch's
shared memory, so that each slot is used again: a wrong parity shows only then.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from hotloop.judge.adversarial import reductions
from hotloop.judge.adversarial.reductions import odd
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import BF16, FP32, U8, DType
from hotloop.judge.seeds import Rng

TILE = 1024
"""Numbers that a copy of the first kernels moves."""

HEIGHT = 30.0
"""Size of one element in each row of `a`; a product that misses the element is far off."""

SLACK = 64.0
"""How many roundings of a sum's largest terms are allowed: tensor cores round sums towards zero."""

GROUP = 128
"""Elements along k that share a scale."""

EXACT = Tolerance(relative=0.0, absolute=0.0)


# --- copies ---------------------------------------------------------------------------------------


def reversed_tiles(x: Floats) -> Floats:
    """Return x with each tile in reverse order."""
    return x.reshape(-1, TILE)[:, ::-1].reshape(-1)


def vectors(rng: Rng) -> Iterator[Case]:
    """Yield one tile, and several."""
    for tiles in (1, 5):
        yield vector(rng, tiles)


def small_vectors(rng: Rng) -> Iterator[Case]:
    """Yield two tiles, for all orders of threads."""
    yield vector(rng, 2)


def vector(rng: Rng, tiles: int = 4) -> Case:
    """Return a vector of whole tiles."""
    x = InputTensor(rng.standard_normal(tiles * TILE), FP32)
    return Case(f"tiles: {tiles}", (x,), TensorSpec((tiles * TILE,), FP32))


def sum_of_steps(x: Floats, _steps: int) -> Floats:
    """Return the sums over the second axis."""
    return x.sum(axis=1)


def of_sum(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum in any order."""
    steps = case.arguments[1]
    assert isinstance(steps, int)
    return Tolerance(0.0, FP32.unit_roundoff * steps * 4.0 * steps**0.5)


def chunks(rng: Rng) -> Iterator[Case]:
    """Yield fewer steps than slots, an odd number, and more than 48 KB could hold slots for."""
    for blocks, steps in ((2, 1), (1, 2), (1, 3), (2, odd(rng, 27, 35))):
        yield chunk(rng, blocks, steps)


def small_chunks(rng: Rng) -> Iterator[Case]:
    """Yield more steps than slots, for all orders of threads."""
    yield chunk(rng, 1, 27)


def chunk(rng: Rng, blocks: int = 2, steps: int = 32) -> Case:
    """Return chunks for each block and step."""
    x = InputTensor(rng.standard_normal((blocks, steps, TILE)), FP32)
    return Case(f"steps: {steps}, blocks: {blocks}", (x, steps), TensorSpec((blocks, TILE), FP32))


def squares(x: Floats) -> Floats:
    """Return x · x."""
    return x * x


OF_SQUARES = Tolerance(relative=2.0**-23, absolute=1e-30)


def rows(rng: Rng) -> Iterator[Case]:
    """Yield fewer rows than blocks, as many, and many for each block."""
    for count in (1, 3, odd(rng, 40, 50)):
        yield row(rng, count)


def small_rows(rng: Rng) -> Iterator[Case]:
    """Yield more rows for each block than 48 KB hold buffers, for all orders of threads."""
    yield row(rng, 40)


def row(rng: Rng, count: int = 24) -> Case:
    """Return rows of one tile."""
    x = InputTensor(rng.standard_normal((count, TILE)), FP32)
    return Case(f"rows: {count}", (x,), TensorSpec((count, TILE), FP32))


def transposed(x: Floats) -> Floats:
    """Return xᵀ."""
    return np.ascontiguousarray(x.T)


def tensors(rng: Rng) -> Iterator[Case]:
    """Yield a tile, and matrices that end within one in both directions."""
    yield tensor(rng, 32, 32)
    yield tensor(rng, odd(rng, 33, 63), 4 * int(rng.integers(9, 15)))
    yield tensor(rng, 1, 4)
    yield tensor(rng, odd(rng, 65, 90), 96)


def small_tensors(rng: Rng) -> Iterator[Case]:
    """Yield a matrix of four tiles, three of them incomplete, for all orders of threads."""
    yield tensor(rng, 45, 52)


def tensor(rng: Rng, m: int = 64, n: int = 96) -> Case:
    """Return a matrix."""
    x = InputTensor(rng.standard_normal((m, n)), FP32)
    return Case(f"{m} × {n}", (x,), TensorSpec((n, m), FP32))


# --- products -------------------------------------------------------------------------------------


def product(a: Floats, b: Floats, _k: int = 0) -> Floats:
    """Return a · bᵀ, in float64."""
    return a @ b.T


def of_product(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum, which is rounded once more if c is bfloat16."""
    a, b = case.arguments[:2]
    assert isinstance(a, InputTensor)
    assert isinstance(b, InputTensor)
    magnitude = float((np.abs(a.values) @ np.abs(b.values).T).max())
    relative = 1.01 * case.out.dtype.unit_roundoff
    return Tolerance(relative, SLACK * FP32.unit_roundoff * magnitude)


def tiles(rng: Rng, side: int = 64, out: DType = FP32) -> Iterator[Case]:
    """Yield one step, a sum with more steps than stages, and more tiles in either direction."""
    yield _whole(rng, "one step", side, side, 64, out)
    yield _whole(rng, "a long sum", side, side, 704, out)
    yield _whole(rng, "more columns than rows", side, 2 * side, 128, out)
    yield _whole(rng, "more rows than columns", 3 * side, 2 * side, 192, out)


def small_tiles(rng: Rng, side: int, out: DType) -> Iterator[Case]:
    """Yield a sum with more steps than stages, for all orders of threads."""
    yield _whole(rng, "a sum of several steps", side, side, 704, out)


def counted_tiles(rng: Rng, side: int, out: DType) -> Case:
    """Return two tiles and a long sum."""
    return _whole(rng, "whole tiles", side, 2 * side, 640, out)


def few_blocks(rng: Rng, side: int, out: DType) -> Iterator[Case]:
    """Yield more tiles than blocks: sums of one step, of an odd number, of more than stages."""
    yield _whole(rng, "one tile", side, side, 64, out)
    yield _whole(rng, "one step a tile", 3 * side, 3 * side, 64, out)
    yield _whole(rng, "an odd number of steps a tile", 2 * side, 3 * side, 320, out)
    yield _whole(rng, "a long sum", side, 3 * side, 448, out)


def small_few_blocks(rng: Rng, side: int, out: DType) -> Iterator[Case]:
    """Yield three tiles for one of two blocks, for all orders of threads."""
    yield _whole(rng, "five tiles", side, 5 * side, 192, out)


def counted_few_blocks(rng: Rng, side: int, out: DType) -> Case:
    """Return three tiles of a few steps for each of two blocks."""
    return _whole(rng, "six tiles", side, 6 * side, 192, out)


def bytes_of_tiles(case: Case, rows: int, columns: int) -> int:
    """Return the bytes of a and b, loaded once per tile of c, and of c."""
    a = case.arguments[0]
    assert isinstance(a, InputTensor)
    m, n = case.out.shape
    k = a.values.shape[1]
    loads = m * k * (n // columns) + k * n * (m // rows)
    return loads * a.dtype.bytes + m * n * case.out.dtype.bytes


def _whole(rng: Rng, label: str, m: int, n: int, k: int, out: DType) -> Case:
    a, b = reductions.spikes(rng, k, HEIGHT, m), rng.standard_normal((n, k))
    inputs = (InputTensor(a, BF16), InputTensor(b, BF16), k)
    return Case(f"{label}, {m} × {n} × {k}", inputs, TensorSpec((m, n), out))


# --- 8-bit floats with scales ---------------------------------------------------------------------


def _e4m3(code: int) -> float:
    sign, exponent, fraction = code >> 7, code >> 3 & 15, code & 7
    magnitude = (fraction + 8) * 2.0 ** (exponent - 10) if exponent else fraction * 2.0**-9
    return -magnitude if sign else magnitude


_VALUES = np.array([_e4m3(code) for code in range(256)])


def scaled_product(a: Floats, b: Floats, a_scales: Floats, b_scales: Floats, _k: int) -> Floats:
    """Return a · bᵀ of e4m3 codes with scales, in float64."""
    x, w = _dequantized(a, b, a_scales, b_scales)
    return x @ w.T


def of_scaled(case: Case) -> Tolerance:
    """Return the tolerance: within 128 of k, tensor cores keep about 14 bits of a sum."""
    inputs = [a.rounded() for a in case.arguments if isinstance(a, InputTensor)]
    x, w = _dequantized(*inputs)
    return Tolerance(2.0**-20, 2.0**-11 * float((np.abs(x) @ np.abs(w).T).max()))


def scaled(rng: Rng) -> Iterator[Case]:
    """Yield one step, more steps than stages, and several tiles in either direction."""
    yield _scaled(rng, "one step", 64, 128, 128)
    yield _scaled(rng, "a long sum", 64, 128, 128 * 11)
    yield _scaled(rng, "several tiles", 192, 256, 256)


def small_scaled(rng: Rng) -> Iterator[Case]:
    """Yield a sum with more steps than stages, for all orders of threads."""
    yield _scaled(rng, "a sum of several steps", 64, 128, 128 * 9)


def counted_scaled(rng: Rng) -> Case:
    """Return two tiles and a long sum."""
    return _scaled(rng, "whole tiles", 128, 128, 128 * 8)


def _scaled(rng: Rng, label: str, m: int, n: int, k: int) -> Case:
    # Codes of magnitudes up to 15: 0x7f and 0xff, which are NaN, do not occur.
    a, b = (rng.integers(0, 0x57, s) + 128 * rng.integers(0, 2, s) for s in ((m, k), (n, k)))
    a_scales = 2.0 ** rng.uniform(-4, 4, (k // GROUP, m))
    b_scales = 2.0 ** rng.uniform(-4, 4, (n // GROUP, k // GROUP))
    inputs = (
        *(InputTensor(codes, U8) for codes in (a, b)),
        *(InputTensor(scales, FP32) for scales in (a_scales, b_scales)),
    )
    return Case(f"{label}, {m} × {n} × {k}", (*inputs, k), TensorSpec((m, n), FP32))


def _dequantized(a: Floats, b: Floats, a_scales: Floats, b_scales: Floats) -> tuple[Floats, Floats]:
    x = _VALUES[a.astype(np.int64)] * np.repeat(a_scales.T, GROUP, axis=1)
    by_block = np.repeat(np.repeat(b_scales, GROUP, axis=0), GROUP, axis=1)
    return x, _VALUES[b.astype(np.int64)] * by_block


# --- sizes of the tasks ---------------------------------------------------------------------------

of_one_group = (
    partial(tiles, side=64, out=FP32),
    partial(small_tiles, side=64, out=FP32),
)
of_two_groups = (
    partial(tiles, side=128, out=FP32),
    partial(small_tiles, side=128, out=FP32),
)
of_few_blocks = (
    partial(few_blocks, side=128, out=BF16),
    partial(small_few_blocks, side=128, out=BF16),
)
