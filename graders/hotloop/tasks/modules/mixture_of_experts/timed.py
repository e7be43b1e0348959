"""The timed grouped product on a GPU: secret cuts, so that experts have few rows, many or none."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import FP16, FP32, I32
from hotloop.judge.gpu.recipes import Cuts, Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.seeds import Rng
from hotloop.tasks.modules.mixture_of_experts.cases import SLACK

ROWS, EXPERTS = 16_384, 64
WIDTHS = ((2048, 1408), (1408, 2048))
"""k and n of an up or a down projection; the timed one is chosen at random."""

MAGNITUDE = 4.0
"""Bound for the mean size of a summand: products of two normal numbers, with a margin."""

LOOP = Baseline(Path(__file__).parent / "baselines.py", "expert_by_expert")


def _spec(rng: Rng, _index: int) -> CallSpec:
    k, n = WIDTHS[int(rng.integers(len(WIDTHS)))]
    x, w = TensorSpec((ROWS, k), FP16), TensorSpec((EXPERTS, k, n), FP16)
    return CallSpec((x, w, TensorSpec((EXPERTS + 1,), I32)), TensorSpec((ROWS, n), FP32))


def _draws(_rng: Rng, spec: CallSpec, hostile: bool) -> tuple[Any, ...]:
    rows = Normal(1.0, "spikes", rows=3) if hostile else Normal(1.0)
    return rows, Normal(1.0), Cuts(spec.out.shape[0])


def _truth(x: Any, w: Any, offsets: Any, numbers: Any) -> Any:
    """Compute rows on float64 torch tensors; their numbers tell whose they are."""
    experts = (numbers[:, None] >= offsets[None, 1:]).sum(1)
    out = x.new_zeros(len(x), w.shape[2])
    for expert in experts.unique():
        mine = experts == expert
        out[mine] = x[mine] @ w[expert]
    return out


def _tolerance(spec: CallSpec) -> Tolerance:
    x = spec.arguments[0]
    assert isinstance(x, TensorSpec)
    slack = SLACK * FP32.unit_roundoff * MAGNITUDE * x.shape[1]
    return Tolerance(Tolerance.derived(FP32, FP32).relative, slack)


def flops(spec: CallSpec) -> int:
    """Return the FLOPs: a product and a sum for each of rows · k · n, whatever the cuts are."""
    x = spec.arguments[0]
    assert isinstance(x, TensorSpec)
    return 2 * math.prod(spec.out.shape) * x.shape[1]


def fewest_bytes(spec: CallSpec) -> int:
    """Return the bytes of the rows and the results: an expert without rows needs no weights."""
    x = spec.arguments[0]
    assert isinstance(x, TensorSpec)
    return x.bytes + spec.out.bytes


ON_GPU = DeviceWorkload(_spec, _draws, _truth, _tolerance, numbered=True)
