"""Hidden inputs for the kernels of module first_kernels, and their references."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from hotloop.judge.adversarial import reductions
from hotloop.judge.adversarial.reductions import odd
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP16, FP32, DType
from hotloop.judge.seeds import Rng

RADIUS = 3
"""Radius of the blur: a mean of seven neighbors."""

HEIGHT = 300.0
"""Size of the one large number in a row of normal numbers."""

BLOCK_LIMIT = 1 << 20
"""Elements of the largest block that Triton allows."""

SHARED_LIMIT = 48 * 1024 // FP32.bytes
"""Numbers that a block's `__shared__` array can hold."""

SLACK = 8.0
"""How many roundings of a sum's largest terms are allowed."""


# --- a · x + y ------------------------------------------------------------------------------------


def scaled_sum(a: float, x: Floats, y: Floats) -> Floats:
    """Return a · x + y, in float64."""
    return a * x + y


def vectors(rng: Rng) -> Iterator[Case]:
    """Yield vectors of lengths that fill blocks exactly, and that do not."""
    for label, count in (
        ("a single element", 1),
        ("one block exactly", 1024),
        ("one element more than blocks", 4097),
        ("an odd number of elements", odd(rng, 3000, 9000)),
        ("more than a hundred blocks", 131072 + odd(rng, 1, 9999)),
    ):
        yield _vectors_case(rng, label, count, FP32)
    yield _vectors_case(rng, "float16", odd(rng, 2000, 3000), FP16)
    # a · x alone overflows float16; the sum does not.
    x = rng.uniform(2e4, 3e4, 2048)
    y = -2.0 * x + rng.uniform(-100, 100, 2048)
    yield _vectors(
        "a product that float16 cannot hold", rng.uniform(2.5, 3.0), x, np.round(y), FP16
    )


def counted_vectors(rng: Rng) -> Case:
    """Return vectors of whole blocks."""
    return _vectors_case(rng, "vectors", 1024 * int(rng.integers(3, 9)), FP32)


def compiled_vectors(rng: Rng) -> Case:
    """Return vectors that do not fit in a program's registers as one block."""
    return _vectors_case(rng, "long vectors", 1024 * int(rng.integers(33, 60)), FP32)


def _vectors_case(rng: Rng, label: str, count: int, dtype: DType) -> Case:
    x, y = rng.standard_normal((2, count)) * 3.0
    return _vectors(label, float(rng.uniform(-3, 3)), x, y, dtype)


def _vectors(label: str, a: float, x: Floats, y: Floats, dtype: DType) -> Case:
    return Case(
        label, (a, InputTensor(x, dtype), InputTensor(y, dtype)), TensorSpec(x.shape, dtype)
    )


def of_vectors(case: Case) -> Tolerance:
    """Return the tolerance of a float32 product and sum, stored in the vectors' dtype."""
    _, x, y = case.arguments
    assert isinstance(x, InputTensor)
    assert isinstance(y, InputTensor)
    derived = Tolerance.derived(case.out.dtype, FP32)
    largest = 3.0 * float(np.abs(x.values).max()) + float(np.abs(y.values).max())
    return Tolerance(derived.relative, derived.absolute + SLACK * FP32.unit_roundoff * largest)


# --- gelu(x + bias) -------------------------------------------------------------------------------


def gelu(x: Floats, bias: Floats) -> Floats:
    """Return the gelu of x + bias with the tanh approximation, in float64."""
    v = x + bias
    return 0.5 * v * (1.0 + np.tanh(0.7978845608 * (v + 0.044715 * v**3)))


def biased(rng: Rng) -> Iterator[Case]:
    """Yield matrices in which every column has a different bias."""
    for label, shape in (
        ("a single element", (1, 1)),
        ("fewer columns than threads", (40, odd(rng, 3, 99))),
        ("a column for each thread", (9, 256)),
        ("an odd number of columns", (7, odd(rng, 257, 2000))),
        ("more rows than columns", (700, 17)),
        ("more columns than shared memory holds", (3, SHARED_LIMIT + odd(rng, 1, 500))),
    ):
        yield _biased(rng, label, shape)


def counted_biased(rng: Rng) -> Case:
    """Return rows of whole sectors."""
    return _biased(rng, "rows of whole sectors", (16, 256 * int(rng.integers(2, 8))))


def _biased(rng: Rng, label: str, shape: tuple[int, int]) -> Case:
    x = 2.0 * rng.standard_normal(shape)
    bias = rng.uniform(-3.0, 3.0, shape[1])
    return Case(label, (InputTensor(x, FP32), InputTensor(bias, FP32)), TensorSpec(shape, FP32))


def of_gelu(_case: Case) -> Tolerance:
    """Return the tolerance.

    For large negative numbers the tanh cancels with 1, so the error there is absolute.
    """
    derived = Tolerance.derived(FP32, FP32, amplification=8.0)
    return Tolerance(derived.relative, 4e-6)


# --- sums of rows ---------------------------------------------------------------------------------


def sums(x: Floats) -> Floats:
    """Return the sum of each row, in float64."""
    return x.sum(axis=1)


def rows_to_sum(rng: Rng) -> Iterator[Case]:
    """Yield rows whose sum depends on one element, or on which a narrow accumulator stalls."""
    yield _rows("a single element", rng.standard_normal((1, 1)))
    yield _rows("short rows", reductions.spikes(rng, odd(rng, 3, 30), HEIGHT, 300))
    spikes = reductions.spikes(rng, odd(rng, 300, 2000), HEIGHT)
    yield _rows("one large number in each row", spikes)
    yield _rows("rows with a gap between them", reductions.spikes(rng, 777, HEIGHT), gap=19)
    long = reductions.spikes(rng, 8192 + odd(rng, 1, 99), HEIGHT)
    yield _rows("one large number in each long row", long)
    yield _rows("two large numbers that cancel", reductions.opposites(rng, 3001, 3e4))
    columns = BLOCK_LIMIT + odd(rng, 1, 9999)
    longest = rng.uniform(1, 2, (1, columns))
    yield _rows("a float16 row that no block and no float16 sum can hold", longest, FP16)
    yield _rows("float16", reductions.spikes(rng, odd(rng, 1000, 3000), HEIGHT), FP16)


def counted_rows(rng: Rng) -> Case:
    """Return rows that fit into a block."""
    return _rows("rows that fit into a block", reductions.spikes(rng, odd(rng, 900, 2000), HEIGHT))


def _rows(label: str, x: Floats, dtype: DType = FP32, *, gap: int = 0) -> Case:
    return Case(label, (InputTensor(x, dtype, gap),), TensorSpec(x.shape[:1], FP32))


def of_sums(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum, which grows with the summed magnitudes."""
    (x,) = case.arguments
    assert isinstance(x, InputTensor)
    magnitude = float(np.abs(x.values).sum(axis=1).max())
    derived = Tolerance.derived(FP32, FP32, terms=x.values.shape[1])
    return Tolerance(derived.relative, SLACK * FP32.unit_roundoff * magnitude)


# --- the transpose --------------------------------------------------------------------------------


def transposed(x: Floats) -> Floats:
    """Return the transpose."""
    return x.T


def to_transpose(rng: Rng) -> Iterator[Case]:
    """Yield shapes that end within a tile, in both directions."""
    for label, shape in (
        ("a single element", (1, 1)),
        ("one row", (1, odd(rng, 65, 300))),
        # 32 rows of this result do not fit in shared memory.
        ("one long column", (SHARED_LIMIT // 32 + odd(rng, 1, 200), 1)),
        ("whole tiles", (64, 96)),
        ("an odd number of rows and columns", (odd(rng, 65, 200), odd(rng, 65, 300))),
        ("one row more than tiles", (97, 64)),
        ("one column more than tiles", (64, 129)),
    ):
        yield _matrix(rng, label, shape)


def small_to_transpose(rng: Rng) -> Iterator[Case]:
    """Yield small cases, which are run with several thread orders; the second spans many tiles."""
    yield _matrix(rng, "whole tiles", (64, 96))
    yield _matrix(rng, "an odd number of rows and columns", (odd(rng, 300, 600), odd(rng, 33, 60)))


def counted_to_transpose(rng: Rng) -> Case:
    """Return a case of whole tiles."""
    shape = (32 * int(rng.integers(3, 7)), 32 * int(rng.integers(3, 7)))
    return _matrix(rng, "whole tiles", shape)


def _matrix(rng: Rng, label: str, shape: tuple[int, int]) -> Case:
    x = rng.standard_normal(shape)
    return Case(label, (InputTensor(x, FP32),), TensorSpec(shape[::-1], FP32))


def exactly(_case: Case) -> Tolerance:
    """Return a tolerance of zero, because values are only moved."""
    return Tolerance(0.0, 0.0)


# --- the blur -------------------------------------------------------------------------------------


def blurred(x: Floats) -> Floats:
    """Return the mean of seven neighbors, with zeros beyond a row's ends, in float64."""
    padded = np.pad(x, ((0, 0), (RADIUS, RADIUS)))
    windows = np.lib.stride_tricks.sliding_window_view(padded, 2 * RADIUS + 1, axis=1)
    return windows.mean(axis=-1)


def to_blur(rng: Rng) -> Iterator[Case]:
    """Yield rows with a large number at every block border, where a missing halo shows."""
    for label, columns in (
        ("a single column", 1),
        ("fewer columns than neighbors", 5),
        ("a block exactly", 256),
        ("a few columns more than a block", 256 + int(rng.integers(1, 4))),
        ("an odd number of columns", odd(rng, 300, 900)),
        ("more columns than shared memory holds", SHARED_LIMIT + odd(rng, 1, 500)),
    ):
        yield _to_blur(rng, label, columns)


def small_to_blur(rng: Rng) -> Iterator[Case]:
    """Yield small cases, run with several thread orders; the first exceeds any usual piece."""
    yield _to_blur(rng, "an odd number of columns", odd(rng, 4100, 5000), rows=4)
    yield _to_blur(rng, "few columns", odd(rng, 9, 40))


def counted_to_blur(rng: Rng) -> Case:
    """Return rows of whole blocks."""
    return _to_blur(rng, "rows of whole blocks", 256 * int(rng.integers(3, 9)))


def _to_blur(rng: Rng, label: str, columns: int, rows: int = 16) -> Case:
    x = reductions.spikes(rng, columns, HEIGHT, rows)
    return Case(label, (InputTensor(x, FP32),), TensorSpec(x.shape, FP32))


def of_blur(_case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum of seven terms."""
    derived = Tolerance.derived(FP32, FP32, terms=2 * RADIUS + 1)
    return Tolerance(derived.relative, SLACK * FP32.unit_roundoff * HEIGHT)


# --- the matrix product ---------------------------------------------------------------------------


def product(a: Floats, b: Floats) -> Floats:
    """Return a · b, in float64."""
    return a @ b


def matrices(rng: Rng) -> Iterator[Case]:
    """Yield sizes that end within a tile, in all three directions."""
    for label, (m, k, n) in (
        ("a single element", (1, 1, 1)),
        ("a row and a column", (1, odd(rng, 65, 300), 1)),
        ("whole tiles", (128, 64, 192)),
        ("odd extents", (odd(rng, 65, 99), odd(rng, 33, 99), odd(rng, 65, 99))),
        ("a long sum", (33, odd(rng, 900, 1500), 40)),
        # No block can hold 64 rows of these sizes; tiles of fewer rows move too many bytes.
        ("a sum that no block can hold", (3, BLOCK_LIMIT // 64 + odd(rng, 1, 999), 5)),
        ("a row that no block can hold", (3, 5, BLOCK_LIMIT // 64 + odd(rng, 1, 999))),
    ):
        yield _product(rng, label, m, k, n)
    yield _product(rng, "rows with a gap between them", 70, 70, 70, gap=9)


def counted_matrices(rng: Rng) -> Case:
    """Return a case of whole 64 × 64 tiles."""
    m, n = 64 * int(rng.integers(3, 5)), 64 * int(rng.integers(3, 5))
    return _product(rng, "whole tiles", m, 256, n)


def compiled_matrices(rng: Rng) -> Case:
    """Return a case with the sizes of a GPU run, for compilation."""
    return _product(rng, "whole tiles", 256, 256, 256)


def _product(rng: Rng, label: str, m: int, k: int, n: int, gap: int = 0) -> Case:
    """Each element of a row of `a` matters; one in each row dominates."""
    a = reductions.spikes(rng, k, 30.0, m)
    b = rng.standard_normal((k, n))
    tensors = (InputTensor(a, FP16, gap), InputTensor(b, FP16, gap))
    return Case(label, tensors, TensorSpec((m, n), FP32, gap))


def of_product(case: Case) -> Tolerance:
    """Return the tolerance of a float32 sum of products, which are exact in float32."""
    a, b = case.arguments
    assert isinstance(a, InputTensor)
    assert isinstance(b, InputTensor)
    magnitude = float((np.abs(a.values) @ np.abs(b.values)).max())
    derived = Tolerance.derived(FP32, FP32, terms=a.values.shape[1])
    return Tolerance(derived.relative, SLACK * FP32.unit_roundoff * magnitude)
