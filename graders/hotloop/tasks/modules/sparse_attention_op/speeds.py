"""Timed on a GPU: from a mask of kept blocks to the output, long sequences in float16.

Building the lists is part of the timed call for candidate and baselines: a data-dependent pattern
changes with every call.
"""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path
from typing import Any

from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.checks.fast import Baseline
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BOOL, FP16
from hotloop.judge.gpu.recipes import Draw, Keep, Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.tasks.modules.sparse_attention_op.patterns import Rng

BASELINES = Path(__file__).parent / "baselines.py"
DENSE = Baseline(BASELINES, "dense")
"""Attention to all keys, or causal: the fastest dense attention in PyTorch."""

FLEX = Baseline(BASELINES, "flex")
"""Compiled FlexAttention with the same blocks."""

PLANES, LENGTH, DEPTH, BLOCK = 256, 4096, 64, 64

DENSITY = 0.1
EMPTY_PLANES = 0.1
PAIR_FLOPS = 4
"""FLOPs per query-key pair and element of depth: a multiply-add for the score, one for the
output."""

TOLERANCE = Tolerance(2**-9, 4e-3)
"""As for float16 in patterns.py: softmax weights may be rounded before the product with v."""


def _spec(_rng: Rng, _index: int, *, causal: bool) -> CallSpec:
    tensor = TensorSpec((PLANES, 1, LENGTH, DEPTH), FP16)
    blocks = LENGTH // BLOCK
    kept = TensorSpec((PLANES, 1, blocks, blocks), BOOL)
    return CallSpec((tensor, tensor, tensor, kept, BLOCK, causal), tensor)


def _draws(_rng: Rng, _spec: CallSpec, hostile: bool) -> tuple[Draw, ...]:
    """Return how to sample the inputs.

    Adversarial: every key has equal elements, and some planes keep no blocks. The total number of
    kept blocks is the same for both, so telling them apart gains nothing.
    """
    keep = Keep(DENSITY / (1 - EMPTY_PLANES), EMPTY_PLANES) if hostile else Keep(DENSITY)
    keys = Normal(0.5, "equal_rows") if hostile else Normal()
    return Normal(), keys, Normal(), keep


def fewest_flops(spec: CallSpec) -> int:
    """Return the FLOPs of the average number of kept blocks."""
    planes, _, length, depth = spec.out.shape
    return int(PAIR_FLOPS * planes * depth * length**2 * DENSITY)


def fewest_causal_bytes(spec: CallSpec) -> int:
    """Return the bytes of all tensors but the late keys and early queries in no kept block.

    Without `causal`, hardly any key is in no kept block, and the bytes of all tensors count.
    """
    blocks = LENGTH // BLOCK
    missed = sum((1 - DENSITY) ** count for count in range(1, blocks + 1)) / blocks
    return int(spec.bytes - 3 * missed * spec.out.bytes)


def fewest_causal_flops(spec: CallSpec) -> int:
    """Return the FLOPs of kept blocks below the diagonal and half of those on it."""
    return fewest_flops(spec) // 2


def attention_of_kept(q: Any, k: Any, v: Any, kept: Any, block: int, causal: bool) -> Any:
    """Return the reference on float64 torch tensors, computed one plane at a time."""
    out = v.clone()
    for plane in range(len(q)):
        scores = q[plane] @ k[plane].transpose(-1, -2) / math.sqrt(q.shape[-1])
        seen = kept[plane] != 0
        seen = seen.repeat_interleave(block, -2).repeat_interleave(block, -1)
        seen = seen.tril() if causal else seen
        anybody = seen.any(-1, keepdim=True)
        scores = scores.masked_fill(~seen & anybody, -math.inf)
        out[plane] = (scores.softmax(-1) * anybody) @ v[plane]
    return out


def dense_attention(q: Any, k: Any, v: Any, _kept: Any, _block: int, causal: bool) -> Any:
    """Return what the dense baseline computes, on float64 torch tensors: all keys, or causal."""
    out = v.clone()
    for plane in range(len(q)):
        scores = q[plane] @ k[plane].transpose(-1, -2) / math.sqrt(q.shape[-1])
        if causal:
            seen = scores.new_ones(scores.shape).tril() != 0
            scores = scores.masked_fill(~seen, -math.inf)
        out[plane] = scores.softmax(-1) @ v[plane]
    return out


KEPT, KEPT_CAUSAL = (
    DeviceWorkload(
        partial(_spec, causal=causal), _draws, attention_of_kept, lambda _spec: TOLERANCE
    )
    for causal in (False, True)
)
