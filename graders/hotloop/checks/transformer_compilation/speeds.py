"""What is timed: attention over long sequences, on a CPU and on a GPU."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hotloop.checks.transformer_compilation.attentions import (
    attention,
    capped_attention,
    derived,
)
from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import Call, CallSpec, TensorSpec
from hotloop.judge.compare import Floats, compare
from hotloop.judge.dtypes import FP16, FP32, to_float64
from hotloop.judge.gpu.recipes import Draw, Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.levels import Level
from hotloop.judge.rungs.fast import Baseline, Fast
from hotloop.judge.rungs.gpu_fast import GpuFast
from hotloop.judge.verification import Rows
from hotloop.judge.window import Workload

Rng = np.random.Generator

FILE = Path(__file__).parent / "baselines.py"
HEADS, LENGTH, WIDTH = 2, 1536, 64
CAP = 20.0
LARGEST = 6.0
"""Of the numbers that are drawn, of which there are some hundred thousand."""

SCORES = 60.0
SAMPLED_QUERIES = 48
GPU_HEADS, GPU_LENGTH = 64, 2048
PAIR_FLOPS = 4
"""A product and a sum for the score, and for the output, for each number of a head's width."""


def fast_cpu(levels: tuple[Level, ...]) -> Fast:
    """Causal, with a cap, against one operation a line."""
    return Fast(
        Workload(_spec, _fill, _verify),
        Baseline(FILE, "capped"),
        _bytes,
        levels,
        fewest_flops=_flops,
        seconds=60.0,
    )


def gpu_fast(levels: tuple[Level, ...]) -> GpuFast:
    """Causal, in float16, against standard attention in eager PyTorch."""
    shape = (GPU_HEADS, GPU_LENGTH, WIDTH)
    tensor = TensorSpec(shape, FP16)
    spec = CallSpec((tensor, tensor, tensor, WIDTH**-0.5, True), tensor)
    workload = DeviceWorkload(
        spec=lambda _rng, _index: spec,
        draws=_draws,
        reference=attention,
        tolerance=derived(FP16, WIDTH, GPU_LENGTH, SCORES * 4, LARGEST),
    )
    return GpuFast(workload, Baseline(FILE, "standard"), _bytes, levels, fewest_flops=_flops)


def _spec(rng: Rng, index: int) -> CallSpec:
    """Now and then a length that no block divides."""
    length = LENGTH - (int(rng.integers(1, 64)) if index % 4 == 3 else 0)
    tensor = TensorSpec((HEADS, length, WIDTH), FP32)
    return CallSpec((tensor, tensor, tensor, True, CAP), tensor)


def _fill(rng: Rng, call: Call, hostile: bool) -> None:
    for tensor in call.inputs():
        rng.standard_normal(out=tensor, dtype=np.float32)
    if hostile:
        # Each block of keys brings a new maximum for the queries of one head.
        call.input(1)[0, :, 0] = np.linspace(-4, 8, call.input(1).shape[1], dtype=np.float32)


def _verify(call: Call, rows: Rows) -> None:
    """Whole heads where all is wanted; else some queries of the picked ones."""
    tensors = [to_float64(call.input(index), FP32) for index in range(3)]
    got = to_float64(call.output(), FP32)
    length = got.shape[1]
    some = np.arange(length, dtype=np.int64)
    if rows is not None:
        tensors, got = [tensor[rows] for tensor in tensors], got[rows]
        drawn = np.random.default_rng().permutation(length)[:SAMPLED_QUERIES]
        some = np.sort(drawn).astype(np.int64)
    want = np.concatenate([_some_queries(tensors, head, some) for head in range(len(got))])
    allowed = derived(FP32, WIDTH, length, SCORES, LARGEST)
    disagreement = compare(got[:, some], want, allowed)
    if disagreement is not None:
        raise Ruling(
            Verdict.WRONG_ANSWER, f"In a timed call it was wrong: {disagreement.sentence()}."
        )


def _some_queries(tensors: list[Floats], head: int, some: NDArray[np.int64]) -> Floats:
    """Of one head. A query sees the keys up to its own place."""
    q, k, v = (tensor[head : head + 1] for tensor in tensors)
    if len(some) == q.shape[1]:
        return capped_attention(q, k, v, causal=True, cap=CAP)
    ends = [
        capped_attention(q[:, i : i + 1], k[:, : i + 1], v[:, : i + 1], causal=False, cap=CAP)
        for i in some
    ]
    return np.concatenate(ends, axis=1)


def _draws(rng: Rng, _spec: CallSpec, hostile: bool) -> tuple[Draw, Draw, Draw]:
    twist = "equal_rows" if hostile and rng.random() < 0.5 else "plain"
    return Normal(1.0), Normal(0.5, twist), Normal(1.0)


def _bytes(spec: CallSpec) -> int:
    tensors = [a.bytes for a in spec.arguments if isinstance(a, TensorSpec)]
    return sum(tensors) + spec.out.bytes


def _flops(spec: CallSpec) -> int:
    """Of the visible half."""
    heads, length, width = spec.out.shape
    return PAIR_FLOPS * heads * width * length * (length + 1) // 2
