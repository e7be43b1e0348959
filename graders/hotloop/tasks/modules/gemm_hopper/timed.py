"""Timed GPU workloads of module gemm_hopper, and their FLOPs."""

from __future__ import annotations

import math

import numpy as np

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BF16, FP32, DType
from hotloop.judge.gpu.definition import Input, Output, device_workload
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.tasks.modules.gemm_hopper import cases

Shape = tuple[int, int, int]
SHAPES: tuple[Shape, ...] = ((4096, 2048, 3072), (3072, 2048, 4096), (4096, 4096, 2048))
"""m, k and n; the timed shape is chosen at random."""


def product(out: DType) -> DeviceWorkload:
    """Return a workload of bfloat16 products a · bᵀ."""

    def axes(rng: np.random.Generator, _index: int) -> dict[str, int]:
        return dict(zip("mkn", SHAPES[int(rng.integers(len(SHAPES)))], strict=True))

    inputs = (Input("m k", BF16), Input("n k", BF16), "k")
    return device_workload(axes, inputs, Output("m n", out), cases.product, _tolerance)


def _tolerance(spec: CallSpec) -> Tolerance:
    a = spec.arguments[0]
    assert isinstance(a, TensorSpec)
    magnitude = 4.0 * a.shape[1]
    relative = 1.01 * spec.out.dtype.unit_roundoff
    return Tolerance(relative, cases.SLACK * FP32.unit_roundoff * magnitude)


def flops_of_product(spec: CallSpec) -> int:
    """Return the FLOPs: a multiplication and an addition for each of m · n · k."""
    a = spec.arguments[0]
    assert isinstance(a, TensorSpec)
    return 2 * math.prod(spec.out.shape) * a.shape[1]
