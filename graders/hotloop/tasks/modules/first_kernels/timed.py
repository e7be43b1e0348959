"""Timed GPU workloads of module first_kernels, and their minimum bytes."""

from __future__ import annotations

from typing import Any

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP16, FP32
from hotloop.judge.gpu.recipes import Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.tasks.modules.first_kernels.cases import RADIUS, SLACK

SHAPE = (8192, 8192)
"""256 MiB per tensor, more than any cache holds."""

PRODUCT = (4096, 2048, 3072)
"""m, k and n."""

FACTOR = 1.75
LARGEST = 64.0 * 6.0
"""Upper bound of timed numbers: some rows are 64 times as large as the others."""


def axpy_on_gpu() -> DeviceWorkload:
    """Return a workload of two matrices, used as long vectors."""
    tensor = TensorSpec(SHAPE, FP32)
    return DeviceWorkload(
        spec=lambda _rng, _index: CallSpec((FACTOR, tensor, tensor), tensor),
        draws=lambda _rng, _spec, hostile: (_normal(hostile=hostile), Normal(1.0)),
        truth=_scaled_sum_on_device,
        tolerance=lambda _spec: _absolute((FACTOR + 1) * LARGEST),
    )


def _scaled_sum_on_device(a: float, x: Any, y: Any) -> Any:
    return a * x + y


def gelu_on_gpu() -> DeviceWorkload:
    """Return a workload of a matrix and its columns' biases."""
    # Not square: an input with as many rows as the result is cut to the compared rows.
    rows, columns = SHAPE[0], SHAPE[1] - 64
    tensor, bias = TensorSpec((rows, columns), FP32), TensorSpec((columns,), FP32)
    return DeviceWorkload(
        spec=lambda _rng, _index: CallSpec((tensor, bias), tensor),
        draws=lambda _rng, _spec, hostile: (_normal(hostile=hostile), Normal(1.0)),
        truth=_gelu_on_device,
        tolerance=lambda _spec: Tolerance(Tolerance.derived(FP32, FP32).relative * 8, 1e-5),
    )


def _gelu_on_device(x: Any, bias: Any) -> Any:
    v = x + bias
    return 0.5 * v * (1.0 + (0.7978845608 * (v + 0.044715 * v**3)).tanh())


def sums_on_gpu() -> DeviceWorkload:
    """Return a workload of row sums of 8192 elements."""
    return DeviceWorkload(
        spec=lambda _rng, _index: CallSpec((TensorSpec(SHAPE, FP32),), TensorSpec(SHAPE[:1], FP32)),
        draws=lambda _rng, _spec, hostile: (_normal(hostile=hostile),),
        truth=_sums_on_device,
        tolerance=lambda _spec: _absolute(LARGEST * SHAPE[1]),
    )


def _sums_on_device(x: Any) -> Any:
    return x.sum(-1)


def blur_on_gpu() -> DeviceWorkload:
    """Return a workload of blurred rows of 8192 elements."""
    tensor = TensorSpec(SHAPE, FP32)
    return DeviceWorkload(
        spec=lambda _rng, _index: CallSpec((tensor,), tensor),
        draws=lambda _rng, _spec, hostile: (_normal(hostile=hostile),),
        truth=_blurred_on_device,
        tolerance=lambda _spec: _absolute(LARGEST),
    )


def _blurred_on_device(x: Any) -> Any:
    width = 2 * RADIUS + 1
    padded = x.new_zeros(x.shape[0], x.shape[1] + 2 * RADIUS)
    padded[:, RADIUS : RADIUS + x.shape[1]] = x
    return sum(padded[:, k : k + x.shape[1]] for k in range(width)) / width


def product_on_gpu() -> DeviceWorkload:
    """Return a workload of a float16 matrix product with a float32 result."""
    m, k, n = PRODUCT
    spec = CallSpec((TensorSpec((m, k), FP16), TensorSpec((k, n), FP16)), TensorSpec((m, n), FP32))
    return DeviceWorkload(
        spec=lambda _rng, _index: spec,
        draws=lambda _rng, _spec, _hostile: (Normal(1.0), Normal(1.0)),
        truth=_product_on_device,
        # Tensor cores accumulate with truncation, so allow a few times the error of rounding.
        tolerance=lambda _spec: _absolute(4.0 * k),
    )


def _product_on_device(a: Any, b: Any) -> Any:
    return a @ b


def unchanged(x: Any) -> Any:
    """Return the result of a copy."""
    return x


def _normal(*, hostile: bool) -> Normal:
    """Return how to sample a matrix; hostile: a few rows are far larger and decide correctness."""
    return Normal(1.0, "large", rows=5) if hostile else Normal(1.0)


def _absolute(magnitude: float) -> Tolerance:
    return Tolerance(Tolerance.derived(FP32, FP32).relative, SLACK * FP32.unit_roundoff * magnitude)


def flops_of_product(spec: CallSpec) -> int:
    """Return the FLOPs: a multiplication and an addition for each of m · n · k."""
    m, n = spec.out.shape
    a = spec.arguments[0]
    assert isinstance(a, TensorSpec)
    return 2 * m * n * a.shape[1]
