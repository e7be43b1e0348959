"""Timed GPU workloads of module first_kernels, and their minimum FLOPs."""

from __future__ import annotations

from typing import Any

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP16, FP32
from hotloop.judge.gpu.definition import Input, Output, device_workload
from hotloop.judge.gpu.recipes import Normal
from hotloop.tasks.modules.first_kernels import cases
from hotloop.tasks.modules.first_kernels.cases import RADIUS, SLACK

SHAPE = {"rows": 8192, "columns": 8192}
"""256 MiB per tensor, more than any cache holds."""

PRODUCT = {"m": 4096, "k": 2048, "n": 3072}
FACTOR = 1.75
LARGEST = 64.0 * 6.0
"""Upper bound of timed numbers: some rows are 64 times as large as the others."""

MATRIX = Input("rows columns", hostile=Normal(1.0, "large", rows=5))
"""In adversarial calls, a few rows are far larger and decide correctness."""


def _absolute(magnitude: float) -> Tolerance:
    return Tolerance(Tolerance.derived(FP32, FP32).relative, SLACK * FP32.unit_roundoff * magnitude)


def _gelu(x: Any, bias: Any) -> Any:
    v = x + bias
    return 0.5 * v * (1.0 + (0.7978845608 * (v + 0.044715 * v**3)).tanh())


def _blurred(x: Any) -> Any:
    width = 2 * RADIUS + 1
    padded = x.new_zeros(x.shape[0], x.shape[1] + 2 * RADIUS)
    padded[:, RADIUS : RADIUS + x.shape[1]] = x
    return sum(padded[:, k : k + x.shape[1]] for k in range(width)) / width


def unchanged(x: Any) -> Any:
    """Return the result of a copy."""
    return x


AXPY = device_workload(
    SHAPE,
    (FACTOR, MATRIX, Input("rows columns")),
    Output("rows columns"),
    cases.scaled_sum,
    _absolute((FACTOR + 1) * LARGEST),
)
"""Two matrices, used as long vectors."""

BIAS_GELU = device_workload(
    # Not square: an input with as many rows as the result is cut to the compared rows.
    {**SHAPE, "columns": SHAPE["columns"] - 64},
    (MATRIX, Input("columns")),
    Output("rows columns"),
    _gelu,
    Tolerance(Tolerance.derived(FP32, FP32).relative * 8, 1e-5),
)

ROW_SUMS = device_workload(
    SHAPE, (MATRIX,), Output("rows"), cases.sums, _absolute(LARGEST * SHAPE["columns"])
)

BLUR = device_workload(SHAPE, (MATRIX,), Output("rows columns"), _blurred, _absolute(LARGEST))

MATMUL = device_workload(
    PRODUCT,
    (Input("m k", FP16), Input("k n", FP16)),
    Output("m n"),
    cases.product,
    # Tensor cores accumulate with truncation, so allow a few times the error of rounding.
    _absolute(4.0 * PRODUCT["k"]),
)


def flops_of_product(spec: CallSpec) -> int:
    """Return the FLOPs: a multiplication and an addition for each of m · n · k."""
    m, n = spec.out.shape
    a = spec.arguments[0]
    assert isinstance(a, TensorSpec)
    return 2 * m * n * a.shape[1]
