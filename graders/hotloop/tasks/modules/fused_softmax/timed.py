"""Timed workloads of module fused_softmax, and their minimum bytes."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.adversarial.reductions import odd
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BOOL, FP16, FP32
from hotloop.judge.gpu.definition import Input, Output, device_workload, few_rows
from hotloop.judge.gpu.recipes import HOSTILE, Keep, Normal, Twist
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.seeds import Rng
from hotloop.judge.verification import Rows, rows_agree
from hotloop.judge.window import Workload
from hotloop.tasks.modules.fused_softmax.cases import CPU_SHAPE, Shape
from hotloop.tasks.modules.fused_softmax.reference import SOFTMAX, SOFTMAX_OR_ZEROS, Meaning

GPU_SHAPE = (8192, 8192)
GPU_MASKED_SHAPE = (16384, 4096)
ODD_EVERY = 8
TIMED_SCALE = 0.125
LARGEST_ON_GPU = 64.0 * 4.0 * 6.0
"""Upper bound of timed numbers, whose standard deviation is 4 and, in a few rows, 64 · 4."""

BACKWARD_SCALE = 1 / 64
"""Deviation of the stand-in for the forward's result; then the sum of y · dy is as large as dy."""


def on_cpu() -> Workload:
    """Return the workload on a CPU: rows of 4096 elements and more."""
    return Workload(_cpu_spec, _fill_rows, _rows_agree)


def _rows_agree(call: PlacedCall, rows: Rows) -> None:
    x: NDArray[np.float32] = call.input(0)[slice(None) if rows is None else rows]
    largest = float(np.abs(x[np.isfinite(x)]).max(initial=0.0))
    tolerance = SOFTMAX.tolerance_of(FP32, CPU_SHAPE[1], largest)
    rows_agree(SOFTMAX.rows, tolerance)(call, rows)


def _cpu_spec(rng: Rng, index: int) -> CallSpec:
    matrix = TensorSpec(_now_and_then_odd(CPU_SHAPE, rng, index), FP32)
    return CallSpec((matrix,), matrix)


def _now_and_then_odd(shape: Shape, rng: Rng, index: int) -> Shape:
    """Return the shape; every eighth has a row less and a few more columns, an odd number."""
    if index % ODD_EVERY != ODD_EVERY - 1:
        return shape
    return (shape[0] - 1, shape[1] + odd(rng, 1, 64))


def _fill_rows(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    """Fill in uniform numbers, in place because a window has many calls."""
    x: NDArray[np.float32] = call.input(0)
    rng.random(out=x, dtype=np.float32)
    x *= 16.0
    if not hostile:
        return
    # Only a few rows, so that looking at some rows reveals nothing about the others.
    count, columns = call.spec.out.shape
    rows = rng.choice(count, size=int(rng.integers(1, 6)), replace=False)
    kind = int(rng.integers(3))
    if kind == 0:
        x[rows, :: int(rng.integers(2, 9))] = -np.inf
    elif kind == 1:
        x[rows] *= 1000.0
    else:
        x[rows, int(rng.integers(columns))] = 3e4


def on_gpu(meaning: Meaning = SOFTMAX) -> DeviceWorkload:
    """Return a workload of matrices larger than any cache."""
    return device_workload(
        partial(_axes, GPU_SHAPE),
        (Input("rows columns", draw=Normal(4.0), hostile=few_rows(4.0, HOSTILE)),),
        Output("rows columns"),
        meaning.rows_on_device,
        lambda _spec: meaning.tolerance_of(FP32, GPU_SHAPE[1], LARGEST_ON_GPU),
    )


def _axes(shape: Shape, rng: Rng, index: int) -> dict[str, int]:
    rows, columns = _now_and_then_odd(shape, rng, index)
    return {"rows": rows, "columns": columns}


def unchanged(x: Any) -> Any:
    """Return the result of a copy."""
    return x


def backward_on_gpu() -> DeviceWorkload:
    """Return a workload of the backward: y and dy to dx."""
    twists: tuple[Twist, ...] = ("equal_rows", "ramp")
    return device_workload(
        partial(_axes, GPU_SHAPE),
        (
            Input("rows columns", draw=Normal(BACKWARD_SCALE)),
            Input("rows columns", draw=Normal(4.0), hostile=few_rows(4.0, twists)),
        ),
        Output("rows columns"),
        SOFTMAX_OR_ZEROS.backward_on_device,
        lambda _spec: _gpu_backward_tolerance(GPU_SHAPE[1]),
    )


def _gpu_backward_tolerance(columns: int) -> Tolerance:
    """For y · (dy − s), with s = Σ y · dy: y up to 6 deviations, s and dy of about 10."""
    derived = Tolerance.derived(FP32, FP32, terms=columns)
    absolute = 6.0 * BACKWARD_SCALE * 10.0 * SOFTMAX_OR_ZEROS.sharpness * derived.relative
    return Tolerance(derived.relative, derived.absolute + absolute)


def masked_on_gpu() -> DeviceWorkload:
    """Return a float16 workload with a bool mask that keeps most elements.

    No value is −inf, which comes only from the mask in this task.
    """
    twists: list[Twist] = [twist for twist in HOSTILE if twist != "minus_infinity"]
    x = Input("rows columns", FP16, Normal(4.0), few_rows(4.0, twists))
    mask = Input("rows columns", BOOL, lambda _rng: Keep(share=0.2 if SOFTMAX.hides else 0.8))
    return device_workload(
        partial(_axes, GPU_MASKED_SHAPE),
        (x, mask, TIMED_SCALE),
        Output("rows columns", FP16),
        SOFTMAX.masked_rows_on_device,
        lambda _spec: SOFTMAX.tolerance_of(FP16, GPU_MASKED_SHAPE[1], LARGEST_ON_GPU),
    )
