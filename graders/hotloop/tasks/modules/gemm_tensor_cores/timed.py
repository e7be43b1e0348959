"""Timed GPU workloads of module gemm_tensor_cores, and their minimum bytes and FLOPs."""

from __future__ import annotations

import math

import numpy as np

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32, DType
from hotloop.judge.gpu.definition import Input, Output, device_workload
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.tasks.modules.gemm_tensor_cores import cases
from hotloop.tasks.modules.gemm_tensor_cores.cases import SLACK

Shape = tuple[int, int, int]
SHAPES: tuple[Shape, ...] = ((4096, 2048, 3072), (4096, 4096, 2048), (2048, 4096, 4096))
"""m, k and n; the timed shape is chosen at random."""

SQUARE: tuple[Shape, ...] = ((4096, 2048, 3072), (3072, 2048, 4096))


def product(shapes: tuple[Shape, ...], dtype: DType) -> DeviceWorkload:
    """Return a workload of matrix products in float32.

    In bfloat16, the candidate is a CUDA C++ kernel, which also gets k.
    """

    def axes(rng: np.random.Generator, _index: int) -> dict[str, int]:
        return dict(zip("mkn", shapes[int(rng.integers(len(shapes)))], strict=True))

    matrices = (Input("m k", dtype), Input("k n", dtype))
    inputs = (*matrices, "k") if dtype is BF16 else matrices
    return device_workload(axes, inputs, Output("m n"), cases.product, _tolerance)


def _tolerance(spec: CallSpec) -> Tolerance:
    """Tensor cores accumulate with truncation, so allow a few times the error of rounding."""
    a = spec.arguments[0]
    assert isinstance(a, TensorSpec)
    magnitude = 4.0 * a.shape[1]
    return Tolerance(Tolerance.derived(FP32, FP32).relative, SLACK * FP32.unit_roundoff * magnitude)


def flops_of_product(spec: CallSpec) -> int:
    """Return the FLOPs: a multiplication and an addition for each of m · n · k."""
    a = spec.arguments[0]
    assert isinstance(a, TensorSpec)
    return 2 * math.prod(spec.out.shape) * a.shape[1]
