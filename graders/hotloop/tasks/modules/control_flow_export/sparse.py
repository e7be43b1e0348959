"""Sparsemax: reference, rows that need few or many steps, and the timed calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32
from hotloop.judge.gpu.definition import Input, Output, device_workload, few_rows
from hotloop.judge.gpu.recipes import Normal, Twist
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.control_flow_export.given_files import GIVEN

_FILE = GIVEN / "sparsemax.py"
LOOP = Baseline(_FILE, "eager", beside={_FILE.name: _FILE}, label="an eager loop with .item()")

TIMED = (16384, 2048)
"""Input and output are 268 MB together, more than any L2 cache holds."""

SCALE = 0.1
"""Scale of timed numbers: then several hundred per row are in the support, and τ takes several
steps."""

SMALLEST_GAP = 1e-4
"""Twenty times the possible rounding error: stopping one step too early is wrong."""

LARGEST = 64.0 * SCALE * 6.0
TWISTS: tuple[Twist, ...] = ("large", "minus_infinity", "equal_rows", "spikes", "ramp")


def sparsemax(x: Floats) -> Floats:
    """Return sparsemax of each row, by sorting it.

    τ comes from the largest k with 1 + k · z_k > z_1 + … + z_k. Source: Martins and Astudillo, From
    Softmax to Sparsemax, 2016, algorithm 1.
    """
    x = x - x.max(-1, keepdims=True)
    falling = -np.sort(-x, axis=-1)
    # Numbers 1 or more below the maximum are not in the support; −inf would spoil the sums.
    sums = np.maximum(falling, -1.0).cumsum(-1)
    k: Floats = np.arange(1.0, x.shape[-1] + 1.0)
    part: NDArray[np.bool_] = (1.0 + k * falling > sums) & (falling > -1.0)
    count: NDArray[np.int64] = part.sum(-1, keepdims=True)
    tau = (np.take_along_axis(sums, count - 1, axis=-1) - 1.0) / count
    return np.maximum(x - tau, 0.0)


def sparsemax_on_device(x: Any) -> Any:
    """Compute `sparsemax` on a float64 torch tensor."""
    x = x - x.amax(-1, keepdim=True)
    falling = x.sort(-1, descending=True).values
    sums = falling.clamp_min(-1.0).cumsum(-1)
    k = x.new_ones(x.shape[-1]).cumsum(0)
    count = ((1.0 + k * falling > sums) & (falling > -1.0)).sum(-1, keepdim=True)
    tau = (sums.gather(-1, count - 1) - 1.0) / count
    return (x - tau).clamp_min(0.0)


def tolerance(case: Case) -> Tolerance:
    """Return the tolerance of x − τ: rounding x − max alone costs a unit of the largest number."""
    x = next(a for a in case.arguments if isinstance(a, InputTensor)).values
    return _tolerance(case.out.shape[-1], float(np.abs(x[np.isfinite(x)]).max()))


def _tolerance(columns: int, largest: float) -> Tolerance:
    """The sum for τ has terms between −1 and 0, and is divided by their count."""
    derived = Tolerance.derived(FP32, FP32, terms=columns)
    off = derived.relative + 4.0 * FP32.unit_roundoff * largest
    return Tolerance(derived.relative, derived.absolute + off)


def cases(rng: Rng) -> Iterator[Case]:
    """Yield rows that are done after one step beside rows that need many."""
    yield _case("one element", rng.standard_normal((1, 1)))
    yield _case("an odd number of columns", rng.standard_normal((5, 2 * _size(rng, 40, 300) + 1)))
    yield _case("a power of two of columns", rng.standard_normal((4, 1024)))
    yield _case("the most columns", 0.05 * rng.standard_normal((2, 8192)))
    yield _case("rows of one number", np.repeat(rng.standard_normal((4, 1)), 333, axis=1))
    yield _case("rows far from 0", 300.0 * rng.standard_normal((4, 1)) + rng.random((4, 500)))
    scales = np.array([1e-4, 0.01, 0.1, 0.3, 1.0, 30.0])[:, None]
    uneven = scales * rng.standard_normal((len(scales), _size(rng, 600, 1000)))
    yield _case("rows of very different steps", uneven)
    yield _case("rows that lose one number a step", _one_by_one(rng))
    infinite = np.where(rng.random((5, 700)) < 0.5, -np.inf, rng.standard_normal((5, 700)))
    infinite[:, 0] = 0.0
    yield _case("some −inf", infinite)


def counted_case(rng: Rng) -> Case:
    """Return the case whose bytes are counted."""
    return _case("rows of 2048", SCALE * rng.standard_normal((6, 2048)))


def _size(rng: Rng, least: int, most: int) -> int:
    return int(rng.integers(least, most))


def _one_by_one(rng: Rng) -> Floats:
    """Return rows in which each step drops one number, the smallest.

    The k-th largest number lies `gap` below the τ of the k − 1 numbers before it, and lowers τ by
    gap / k. So each gap must be about k times the one before, for τ to lie between two numbers.
    """
    numbers, tau, gap = [0.0, 0.0], -0.5, SMALLEST_GAP
    for k in range(3, 9):
        numbers.append(tau - gap)
        tau -= gap / k
        gap *= 1.1 * (k + 1) * (k - 1) / k
    return np.stack([rng.permutation(numbers) for _ in range(4)])


def _case(label: str, x: Floats) -> Case:
    return Case(label, (InputTensor(x, FP32),), TensorSpec(x.shape, FP32))


def on_gpu() -> DeviceWorkload:
    """Return a workload with rows that differ in their number of steps."""
    return device_workload(
        _axes,
        (Input("rows columns", draw=Normal(SCALE), hostile=few_rows(SCALE, TWISTS)),),
        Output("rows columns"),
        sparsemax_on_device,
        _tolerance(TIMED[1], LARGEST),
    )


def _axes(rng: Rng, index: int) -> dict[str, int]:
    """Return the sizes; every eighth call has one row less and randomly fewer columns."""
    rows, columns = TIMED
    if index % 8 == 7:
        rows, columns = rows - 1, columns - int(rng.integers(1, 64))
    return {"rows": rows, "columns": columns}
