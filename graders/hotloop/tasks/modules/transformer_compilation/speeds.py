"""Timed workloads: attention over long sequences, on a CPU and on a GPU."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.core.verdict import Ruling, Verdict
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Floats, Tolerance, compare
from hotloop.judge.dtypes import FP16, FP32, to_float64
from hotloop.judge.gpu.recipes import Draw, Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.verification import Rows
from hotloop.judge.window import Workload
from hotloop.tasks.modules.transformer_compilation.attentions import capped_attention, derived

Rng = np.random.Generator

BASELINES = Path(__file__).parent / "baselines.py"
CAPPED = Baseline(BASELINES, "capped")
"""Naive attention with a cap, one operation per line."""

FUSED = Baseline(BASELINES, "fused", label="scaled_dot_product_attention")
"""PyTorch's scaled_dot_product_attention, without a cap."""

FUSED_GRADIENTS = Baseline(
    BASELINES, "fused_gradients", label="scaled_dot_product_attention and its gradients"
)
"""PyTorch's scaled_dot_product_attention, forward and backward."""

HEADS, LENGTH, WIDTH = 2, 1536, 64
CAP = 20.0
LARGEST = 6.0
"""The largest of several hundred thousand sampled normal numbers."""

SCORES = 60.0
SAMPLED_QUERIES = 48
GPU_HEADS, GPU_LENGTH = 256, 2048
"""Many heads make the call long enough; short sequences keep the float64 reference affordable on
GPUs with slow float64."""

CAPPED_HEADS = 64
"""The baseline stores all scores in float32 three times at once: 3 GiB."""

GRADIENT_TOLERANCE = Tolerance(2 * FP16.unit_roundoff, 4e-3)
"""Softmax weights and their gradients are rounded to float16 before a product. On a CPU, six heads
of this size had errors of at most 4.3e-4 beyond the relative part; a timed call has 256 heads."""

PAIR_FLOPS = 4
"""FLOPs per query-key pair and element of the head: a multiply-add for the score and one for the
output."""

GRADIENT_PRODUCTS = 7
"""Minimum number of matrix products for gradients: two forward, five backward."""


def _spec(rng: Rng, index: int) -> CallSpec:
    """Return the call; every fourth has a length that is not a multiple of usual block sizes."""
    length = LENGTH - (int(rng.integers(1, 64)) if index % 4 == 3 else 0)
    tensor = TensorSpec((HEADS, length, WIDTH), FP32)
    return CallSpec((tensor, tensor, tensor, True, CAP), tensor)


def _fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    for tensor in call.inputs():
        rng.standard_normal(out=tensor, dtype=np.float32)
    if hostile:
        # For one head, every block of keys has a new maximum score.
        call.input(1)[0, :, 0] = np.linspace(-4, 8, call.input(1).shape[1], dtype=np.float32)


def _verify(call: PlacedCall, rows: Rows) -> None:
    """Check all of a call's heads, or sampled queries of the heads in `rows`.

    Raises Ruling at a wrong output.
    """
    tensors = [to_float64(call.input(index), FP32) for index in range(3)]
    got = to_float64(call.output(), FP32)
    length = got.shape[1]
    some = np.arange(length, dtype=np.int64)
    if rows is not None:
        tensors, got = [tensor[rows] for tensor in tensors], got[rows]
        sampled = np.random.default_rng().permutation(length)[:SAMPLED_QUERIES]
        some = np.sort(sampled).astype(np.int64)
    want = np.concatenate([_some_queries(tensors, head, some) for head in range(len(got))])
    allowed = derived(FP32, WIDTH, length, SCORES, LARGEST)
    disagreement = compare(got[:, some], want, allowed)
    if disagreement is not None:
        raise Ruling(Verdict.WRONG_ANSWER, f"In a timed call: {disagreement.sentence()}.")


def _some_queries(tensors: list[Floats], head: int, some: NDArray[np.int64]) -> Floats:
    """Return `some` queries of one head. A query sees the keys up to its own position."""
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


def flops_of_call(spec: CallSpec) -> int:
    """Return the FLOPs of the causal half."""
    return _flops_of(spec.arguments[0])


def flops_of_gradients(spec: CallSpec) -> int:
    """Return the FLOPs of all matrix products of forward and backward."""
    return _flops_of(spec.arguments[0]) * GRADIENT_PRODUCTS // 2


def _flops_of(queries: object) -> int:
    assert isinstance(queries, TensorSpec)
    heads, length, width = queries.shape
    return PAIR_FLOPS * heads * width * length * (length + 1) // 2


def _attention_on_device(q: Any, k: Any, v: Any, scale: float, causal: bool) -> Any:
    """Compute `attention` on float64 torch tensors head by head; as many keys as queries."""
    out = v.clone()
    for head in range(len(q)):
        out[head] = _weights_on_device(scale * (q[head] @ k[head].mT), causal) @ v[head]
    return out


def _capped_on_device(q: Any, k: Any, v: Any, causal: bool, cap: float) -> Any:
    """Compute `capped_attention` on float64 torch tensors, head by head."""
    out = v.clone()
    for head in range(len(q)):
        scores = q[head] @ k[head].mT / math.sqrt(q.shape[-1])
        out[head] = _weights_on_device(cap * (scores / cap).tanh(), causal) @ v[head]
    return out


def _gradients_on_device(q: Any, k: Any, v: Any, dout: Any, scale: float, causal: bool) -> Any:
    """Return the gradients of Σ dout · attention for q, k and v, concatenated on axis 1."""
    length = q.shape[1]
    out = q.new_empty(len(q), 3 * length, q.shape[2])
    for head in range(len(q)):
        weights = _weights_on_device(scale * (q[head] @ k[head].mT), causal)
        dweights = dout[head] @ v[head].mT
        dscores = weights * (dweights - (dweights * weights).sum(-1, keepdim=True))
        out[head, :length] = scale * (dscores @ k[head])
        out[head, length : 2 * length] = scale * (dscores.mT @ q[head])
        out[head, 2 * length :] = weights.mT @ dout[head]
    return out


def _weights_on_device(scores: Any, causal: bool) -> Any:
    """Return one head's softmax over the keys that each query sees."""
    if causal:
        ahead = scores.new_ones(scores.shape).triu(1) != 0
        scores = scores.masked_fill(ahead, -math.inf)
    return scores.softmax(-1)


ON_CPU = Workload(_spec, _fill, _verify)
"""float32, causal, with a cap."""

_ON_GPU = TensorSpec((GPU_HEADS, GPU_LENGTH, WIDTH), FP16)
_CAPPED = TensorSpec((CAPPED_HEADS, GPU_LENGTH, WIDTH), FP32)
_GRADIENTS = TensorSpec((GPU_HEADS, 3 * GPU_LENGTH, WIDTH), FP16)

ON_GPU = DeviceWorkload(
    spec=lambda _rng, _index: CallSpec((_ON_GPU, _ON_GPU, _ON_GPU, WIDTH**-0.5, True), _ON_GPU),
    draws=_draws,
    truth=_attention_on_device,
    tolerance=lambda _spec: derived(FP16, WIDTH, GPU_LENGTH, SCORES * 4, LARGEST),
)
"""float16, causal."""

CAPPED_ON_GPU = DeviceWorkload(
    spec=lambda _rng, _index: CallSpec((_CAPPED, _CAPPED, _CAPPED, True, CAP), _CAPPED),
    draws=_draws,
    truth=_capped_on_device,
    tolerance=lambda _spec: derived(FP32, WIDTH, GPU_LENGTH, SCORES, LARGEST),
)
"""float32, causal, with a cap."""

GRADIENTS_ON_GPU = DeviceWorkload(
    spec=lambda _rng, _index: CallSpec((*[_ON_GPU] * 4, WIDTH**-0.5, True), _GRADIENTS),
    draws=lambda rng, spec, hostile: (*_draws(rng, spec, hostile), Normal(1.0)),
    truth=_gradients_on_device,
    tolerance=lambda _spec: GRADIENT_TOLERANCE,
)
"""float16, causal: from q, k, v and dout to the three gradients, forward pass included."""
