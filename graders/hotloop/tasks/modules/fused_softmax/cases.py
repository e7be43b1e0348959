"""Hidden inputs for the tasks of module fused_softmax."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hotloop.judge.adversarial import recurrences, reductions
from hotloop.judge.adversarial.reductions import odd
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats
from hotloop.judge.constants import published
from hotloop.judge.dtypes import BF16, BOOL, FP16, FP32, FP64, I32, U8, DType
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.fused_softmax.reference import SOFTMAX

Shape = tuple[int, ...]

CPU_SHAPE = (256, 4096)
"""The shape of timed calls on a CPU."""

LARGE = 300.0
"""exp of this difference overflows or is 0 in float32, so a wrong maximum shows."""

PEAK = 14.0
"""A number this much larger dominates a softmax over thousands of normal numbers."""

SMALL_RISE = 3.0
"""After a rise this large, earlier elements still keep a share of the sum."""

LONGER_THAN_ANY_BLOCK = (1 << 20) + 3
"""Triton allows 2^20 elements per block, so such a row needs a loop."""


def any_rank(rng: Rng) -> Iterator[Case]:
    """Yield cases for the online softmax in PyTorch."""
    yield _case("a vector", _normal(rng, (odd(rng, 900, 1100),)))
    yield _case("one single element", _normal(rng, (1, 1)))
    yield _case("three dimensions", _normal(rng, (2, 3, odd(rng, 500, 700))))
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), gap=19)
    yield _case("columns that fill blocks exactly", _normal(rng, (3, 1024)))
    yield _case("a long row", reductions.spikes(rng, odd(rng, 66000, 90000), PEAK, 1))
    yield from _hard_cases(rng)


def matrices(rng: Rng) -> Iterator[Case]:
    """Yield matrices with any row stride, for a Triton kernel."""
    yield _case("one single element", _normal(rng, (1, 1)))
    yield _case("a single column", _normal(rng, (7, 1)))
    yield _case("many short rows", _normal(rng, (300, odd(rng, 3, 30))))
    yield _case("an odd number of columns", _normal(rng, (5, odd(rng, 65, 1000))))
    yield _case("a power of two of columns", _normal(rng, (3, 1024)))
    yield _case("rows with a gap between them", _normal(rng, (5, 777)), gap=19)
    yield _case("an output with a gap between its rows", _normal(rng, (4, 321)), out_gap=7)
    yield _case("a row longer than any block", _normal(rng, (1, LONGER_THAN_ANY_BLOCK)))
    yield from _hard_cases(rng)


def _hard_cases(rng: Rng) -> Iterator[Case]:
    yield from _deciding_cases(rng)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))))
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))))
    yield _case("numbers of ±10000", 1e4 * rng.uniform(-1, 1, (4, 1111)))
    yield _case("float16 up to ±60000", 6e4 * rng.uniform(-1, 1, (4, 1111)), FP16)
    spikes = reductions.spikes(rng, odd(rng, 300, 600), LARGE)
    yield _case("one large number in each row, in float16", spikes, FP16)
    yield _case("float16", _normal(rng, (4, odd(rng, 1000, 3000))), FP16)
    yield _case("bfloat16 with a gap between rows", _normal(rng, (4, 2050)), BF16, gap=6)
    yield _case("a long float16 row of almost equal numbers", _level(rng, 100003), FP16)
    yield _case("a long bfloat16 row of almost equal numbers", _level(rng, 100003), BF16)


def _deciding_cases(rng: Rng) -> Iterator[Case]:
    """Yield rows whose maximum or sum depends on one element, in every part of a row."""
    short, long = odd(rng, 600, 1023), 8192 + odd(rng, 1, 99)
    yield _case("one large number in each row", reductions.spikes(rng, short, LARGE))
    spikes = reductions.spikes(rng, long, LARGE)
    yield _case("one large number in each row, longer than 8192", spikes)
    yield _case("rows far below and above zero", reductions.lifted(rng, short, LARGE))
    for rise in (SMALL_RISE, LARGE):
        steps = recurrences.staircases(rng, long, rise)
        yield _case(f"rows that rise or fall in steps of {rise:g}", steps)
    yield _case("rows that begin or end with −inf", recurrences.late_starts(rng, long, -np.inf))


def for_a_compiler(rng: Rng) -> Iterator[Case]:
    """Yield cases of few shapes, because each may cost seconds of compilation."""
    rows, columns = CPU_SHAPE
    spikes = reductions.spikes(rng, columns, LARGE, rows, spread=3.0)
    yield _case("one large number in each row", spikes)
    large = 1e4 * rng.uniform(-1, 1, (37, odd(rng, 4097, 6000)))
    yield _case("numbers of ±10000 in an odd number of columns", large)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (64, 4098))))


def masked(rng: Rng) -> Iterator[Case]:
    """Yield cases of a matrix, a mask and a scale."""
    for case in _kept_cases(rng):
        yield _kept_by(case)


def _kept_cases(rng: Rng) -> Iterator[Case]:
    yield _masked_case(rng, "one single element", (1, 1))
    yield _masked_case(rng, "an odd number of columns", (5, odd(rng, 65, 1000)))
    yield _masked_case(rng, "many short rows", (300, odd(rng, 3, 30)))
    yield _masked_case(rng, "a mask of bytes", (4, 1024), mask_dtype=U8)
    yield _masked_case(rng, "different row strides", (4, 777), gap=19, mask_gap=5, out_gap=3)
    yield _masked_case(rng, "rows that are masked out altogether", (6, 600), empty=True)
    yield _masked_case(rng, "only one element kept", (5, 900), share=0.0)
    yield _masked_case(rng, "only a few elements masked out", (8, 1500), share=1.0, dropped=3)
    yield _masked_case(rng, "a negative scale", (4, 1001), scale=-0.7)
    yield _masked_case(rng, "a scale of 0", (3, 500), scale=0.0)
    yield _masked_case(rng, "a scale above 1", (3, 700), scale=8.0)
    yield _masked_case(rng, "float16 up to ±60000", (3, 1111), FP16, scale=0.125, spread=6e4)
    yield _masked_case(rng, "bfloat16", (4, 2050), BF16)
    short, long = (
        (reductions.ROWS, odd(rng, 600, 1023)),
        (reductions.ROWS, 8192 + odd(rng, 1, 99)),
    )
    yield _spiked_mask_case(rng, "one large number kept in each row", short, kept=True)
    yield _spiked_mask_case(
        rng, "one large number kept in each row, longer than 8192", long, kept=True
    )
    yield _spiked_mask_case(rng, "one large number masked out in each row", short, kept=False)
    yield _masked_case(rng, "a row longer than any block", (1, LONGER_THAN_ANY_BLOCK))
    level = (1, 100003)
    yield _masked_case(rng, "a long float16 row of almost equal numbers", level, FP16, spread=0.1)


def _kept_by(case: Case) -> Case:
    """Invert a mask whose 1 means keep, if the variant's mask hides by 1."""
    x, mask, scale = case.arguments
    if not SOFTMAX.hides or not isinstance(mask, InputTensor):
        return case
    inverted = (1 - mask.values.astype(np.uint8)).astype(mask.values.dtype)
    return replace(case, arguments=(x, replace(mask, values=inverted), scale))


def cuda(rng: Rng) -> Iterator[Case]:
    """Yield contiguous float32 matrices, which is all that the kernels' parameters can express."""
    yield _case("one single element", _normal(rng, (1, 1)))
    yield _case("a single column", _normal(rng, (300, 1)))
    few = odd(rng, 3, 30)
    yield _case("many short rows", reductions.spikes(rng, few, LARGE, 300))
    yield _case("short rows far below and above zero", reductions.lifted(rng, few, LARGE))
    fours = reductions.lifted(rng, 4 * int(rng.integers(2, 100)), LARGE)
    yield _case("rows of fours far below and above zero", fours)
    yield _case("an odd number of columns", _normal(rng, (5, odd(rng, 65, 1000))))
    yield _case("a power of two of columns", _normal(rng, (3, 1024)))
    yield _case("an even number of columns, not of fours", _normal(rng, (4, 1022)))
    yield _case("long rows of a multiple of four", _normal(rng, (2, 20000)))
    yield from _deciding_cases(rng)
    quads = reductions.spikes(rng, 4 * int(rng.integers(200, 300)), LARGE)
    yield _case("one large number in each row of fours", quads)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))))
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))))
    uneven = _with_empty_rows(_normal(rng, (5, odd(rng, 65, 1000))))
    yield _case("rows of −inf only, in an odd number of columns", uneven)
    yield _case("numbers of ±10000", 1e4 * rng.uniform(-1, 1, (4, 1111)))
    yield _case("a long row of almost equal numbers", _level(rng, 100003))


def small_cuda(rng: Rng) -> Iterator[Case]:
    """Yield shapes that take every path of a kernel; each is run with several thread orders."""
    yield _case("rows of fours", _normal(rng, (6, 4 * int(rng.integers(100, 300)))))
    yield _case("an odd number of columns", _normal(rng, (5, odd(rng, 300, 900))))
    yield _case("few columns", _normal(rng, (70, odd(rng, 3, 30))))
    yield _case("long rows", _normal(rng, (3, 8192 + 4 * int(rng.integers(1, 99)))))


def for_an_operator(rng: Rng) -> Iterator[Case]:
    """Yield the inputs that the C++ function accepts."""
    yield _case("one single element", _normal(rng, (1, 1)))
    yield _case("an odd number of columns", _normal(rng, (5, odd(rng, 65, 1000))))
    yield _case("rows of fours", reductions.spikes(rng, 2048, LARGE))
    yield _case("rows with a gap between them", reductions.spikes(rng, 777, LARGE), gap=19)
    yield _case("rows that do not begin on 16 bytes", _normal(rng, (5, 776)), gap=1)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))))
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))))
    # The element after a row is far larger: reading it shifts the whole row to zero.
    yield _case("rows far below and above zero", reductions.lifted(rng, odd(rng, 600, 1023), LARGE))


def refused(rng: Rng) -> Iterator[Case]:
    """Yield the inputs that the C++ function must refuse."""
    yield _case("a vector", _normal(rng, (64,)))
    yield _case("three dimensions", _normal(rng, (2, 3, 64)))
    yield _case("float64", _normal(rng, (3, 64)), FP64)
    yield _case("float16", _normal(rng, (3, 64)), FP16)
    whole = rng.integers(-9, 9, (3, 64))
    yield Case("integers", (InputTensor(whole, I32),), TensorSpec(whole.shape, FP32))


def in_a_graph(rng: Rng) -> Iterator[Case]:
    """Yield cases for the operator in a compiled graph."""
    yield _case("rows of fours", reductions.spikes(rng, 1024, LARGE))
    yield _case("an odd number of columns", _normal(rng, (5, odd(rng, 65, 1000))))


def gradients(rng: Rng) -> Iterator[Case]:
    """Yield x and the gradient of the loss with respect to the softmax."""
    rows = reductions.ROWS
    for label, shape in (
        ("one single element", (1, 1)),
        ("many short rows", (300, odd(rng, 3, 30))),
        ("an odd number of columns", (rows, odd(rng, 65, 1000))),
        ("rows of fours", (rows, 2048)),
        ("long rows", (rows, 9001)),
    ):
        x, dy = _weighed(rng, shape)
        yield Case(label, (InputTensor(x, FP32), InputTensor(dy, FP32)), TensorSpec(shape, FP32))
    x, dy = _cancelling(rng, odd(rng, 65, 1000))
    spec = TensorSpec(x.shape, FP32)
    yield Case("a sum that cancels", (InputTensor(x, FP32), InputTensor(dy, FP32)), spec)
    yield from _strided_gradients(rng)


def _strided_gradients(rng: Rng) -> Iterator[Case]:
    """Yield gradients as they come back from a slice, from a transposed matrix, and from a sum.

    What is behind the softmax decides how they lie in memory.
    """
    shape = (5, odd(rng, 65, 900))
    x, dy = _weighed(rng, shape)
    of_sum = np.broadcast_to(dy[0], shape)
    for label, incoming in (
        ("a gradient with a gap between its rows", InputTensor(dy, FP32, 7)),
        ("a gradient that was transposed", InputTensor(dy, FP32, order=(1, 0))),
        ("a gradient whose rows are one row", InputTensor(of_sum, FP32, -shape[1])),
    ):
        yield Case(label, (InputTensor(x, FP32), incoming), TensorSpec(shape, FP32))


def _weighed(rng: Rng, shape: Shape) -> tuple[Floats, Floats]:
    """Return x and dy; one element dominates the sum of softmax(x) · dy in each row."""
    rows, columns = shape
    x = reductions.spikes(rng, columns, PEAK, rows)
    dy = rng.standard_normal(shape)
    dy[np.arange(rows), x.argmax(axis=1)] = rng.choice([-10.0, 10.0], rows)
    return x, dy


def _cancelling(rng: Rng, columns: int) -> tuple[Floats, Floats]:
    """Return x and dy; two elements dominate the sum of softmax(x) · dy and cancel."""
    dy = reductions.opposites(rng, columns, 10.0)
    x = np.where(np.abs(dy) == 10.0, PEAK, rng.standard_normal(dy.shape))
    return x, dy


def gradients_in_a_graph(rng: Rng) -> Iterator[Case]:
    """Yield the same for a compiled graph."""
    for label, columns in (("an odd number of columns", odd(rng, 65, 900)), ("fours", 1024)):
        shape = (reductions.ROWS + int(rng.integers(3, 9)), columns)
        x, dy = _weighed(rng, shape)
        # The graph doubles x before the softmax.
        yield Case(
            label, (InputTensor(x / 2, FP32), InputTensor(dy, FP32)), TensorSpec(shape, FP32)
        )


def second_gradients(rng: Rng) -> Iterator[Case]:
    """Yield x, dy and g, for the gradient of the gradient."""
    for label, columns in (("an odd number of columns", odd(rng, 65, 900)), ("fours", 1024)):
        shape = (int(rng.integers(3, 9)), columns)
        # Small numbers, so that no row is dominated by one element, whose gradients would vanish.
        tensors = tuple(InputTensor(rng.standard_normal(shape), FP32) for _ in range(3))
        yield Case(label, tensors, TensorSpec(shape, FP32))


def to_transpose(rng: Rng) -> Iterator[Case]:
    """Yield matrices of at least 2 × 2, because graphs for any shape may exclude sizes of 1."""
    for label, shape in (
        ("a tall matrix", (odd(rng, 65, 900), int(rng.integers(2, 9)))),
        ("a wide matrix", (int(rng.integers(2, 9)), odd(rng, 65, 300))),
    ):
        x = _normal(rng, shape)
        yield Case(label, (InputTensor(x, FP32),), TensorSpec(shape[::-1], FP32))


def for_a_triton_operator(rng: Rng) -> Iterator[Case]:
    """Yield cases for the operator whose kernel is in Triton."""
    yield _case("one single element", _normal(rng, (1, 1)))
    yield _case("an odd number of columns", reductions.spikes(rng, odd(rng, 65, 1000), LARGE))
    yield _case("many short rows", _normal(rng, (300, odd(rng, 3, 30))))
    yield _case("bfloat16", _normal(rng, (4, 2048)), BF16)
    yield _case("float16 with a gap between rows", _normal(rng, (5, 777)), FP16, gap=19)
    yield _case("some −inf", _with_minus_infinity(rng, _normal(rng, (6, 1500))))
    yield _case("rows of −inf only", _with_empty_rows(_normal(rng, (5, 600))))


def backward(rng: Rng) -> Iterator[Case]:
    """Yield a softmax and its gradient, for the backward kernel alone."""
    softmax = published(SOFTMAX.rows)
    for label, shape in (
        ("one single element", (1, 1)),
        ("an odd number of columns", (64, odd(rng, 65, 1000))),
        ("rows of fours", (64, 4096)),
        ("long rows", (reductions.ROWS, 100003)),
    ):
        x, dy = _weighed(rng, shape)
        y = softmax(x)
        yield Case(label, (InputTensor(y, FP32), InputTensor(dy, FP32)), TensorSpec(shape, FP32))
    x, dy = _cancelling(rng, odd(rng, 1025, 3000))
    tensors = (InputTensor(softmax(x), FP32), InputTensor(dy, FP32))
    yield Case("a sum that cancels", tensors, TensorSpec(x.shape, FP32))


def quads(rng: Rng) -> Case:
    """Return rows of whole sectors that fit into a block's registers."""
    columns = 32 * int(rng.integers(80, 250))
    return _case("rows of fours", reductions.spikes(rng, columns, LARGE))


def short_rows(rng: Rng) -> Case:
    """Return rows that fit in a block, each around a height of its own.

    A row overflows without its own maximum, also with another row's maximum.
    """
    x = reductions.spikes(rng, odd(rng, 2100, 4000), LARGE)
    x += rng.uniform(-LARGE, LARGE, (len(x), 1))
    return _case("rows that fit in a block", x)


def short_masked_rows(rng: Rng) -> Case:
    """Return rows that fit in a block, with a mask."""
    shape = (reductions.ROWS, odd(rng, 2100, 4000))
    case = _spiked_mask_case(rng, "rows that fit in a block", shape, kept=True)
    x, *others = case.arguments
    assert isinstance(x, InputTensor)
    lifted = replace(x, values=x.values + rng.uniform(-LARGE, LARGE, (shape[0], 1)))
    return _kept_by(replace(case, arguments=(lifted, *others)))


def _case(label: str, x: Floats, dtype: DType = FP32, *, gap: int = 0, out_gap: int = 0) -> Case:
    return Case(label, (InputTensor(x, dtype, gap),), TensorSpec(x.shape, dtype, out_gap))


def _masked_case(
    rng: Rng,
    label: str,
    shape: Shape,
    dtype: DType = FP32,
    *,
    mask_dtype: DType = BOOL,
    scale: float = 0.3,
    spread: float = 4.0,
    share: float = 0.7,
    gap: int = 0,
    mask_gap: int = 0,
    out_gap: int = 0,
    empty: bool = False,
    dropped: int = 0,
) -> Case:
    """Return a case whose mask keeps about `share` of each row.

    A row keeps at least one element, except every second row if `empty`. dropped: number of
    additional elements that are masked out, anywhere.
    """
    keep = rng.random(shape) < share
    keep[np.arange(shape[0]), rng.integers(shape[1], size=shape[0])] = True
    if empty:
        keep[::2] = False
    keep.flat[rng.choice(keep.size, size=dropped, replace=False)] = False
    x = spread * rng.uniform(-1, 1, shape)
    mask = InputTensor(keep.astype(np.uint8) if mask_dtype is U8 else keep, mask_dtype, mask_gap)
    return Case(label, (InputTensor(x, dtype, gap), mask, scale), TensorSpec(shape, dtype, out_gap))


def _spiked_mask_case(rng: Rng, label: str, shape: Shape, *, kept: bool) -> Case:
    """Return a case in which each row's one large number counts, or must not count."""
    rows, columns = shape
    x = reductions.spikes(rng, columns, LARGE, rows)
    largest, all_rows = x.argmax(axis=1), np.arange(rows)
    keep = rng.random(shape) < 0.7
    keep[all_rows, (largest + 1) % columns] = True
    keep[all_rows, largest] = kept
    return Case(
        label, (InputTensor(x, FP32), InputTensor(keep, BOOL), 1.0), TensorSpec(shape, FP32)
    )


def _normal(rng: Rng, shape: Shape) -> Floats:
    return 3.0 * rng.standard_normal(shape)


def _level(rng: Rng, columns: int) -> Floats:
    """Return one row whose exponentials sum to more than float16 can hold."""
    x = rng.uniform(-0.32, -0.28, (1, columns))
    x[0, rng.integers(columns)] = 0.0
    return x


def _with_minus_infinity(rng: Rng, x: Floats) -> Floats:
    """Replace a third of the elements by −inf, but never a whole row."""
    chosen = rng.random(x.shape) < 1 / 3
    chosen[:, -1] = False
    return np.where(chosen, -np.inf, x)


def _with_empty_rows(x: Floats) -> Floats:
    x[::2] = -np.inf
    return x
