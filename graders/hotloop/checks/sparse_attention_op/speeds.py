"""What is timed on a GPU: from a mask of kept blocks to the output, long sequences in float16.

The lists are made within the timed call on every side: a pattern that depends on the data is a new
one each time.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from hotloop.checks.sparse_attention_op.patterns import Rng
from hotloop.judge.calls import CallSpec, TensorSpec
from hotloop.judge.compare import Tolerance
from hotloop.judge.dtypes import BOOL, FP16
from hotloop.judge.gpu.recipes import Draw, Keep, Normal
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.rungs.fast import Baseline

BASELINES = Path(__file__).parent / "baselines.py"
DENSE = Baseline(BASELINES, "dense")
"""Without any mask, the fastest that PyTorch has."""

FLEX = Baseline(BASELINES, "flex")
"""FlexAttention, compiled, with the same blocks."""

PLANES, LENGTH, DEPTH, BLOCK = 256, 4096, 64, 64

DENSITY = 0.1
EMPTY_PLANES = 0.1
PAIR_FLOPS = 4
"""A product and a sum for the score, and for the output, for each number of a head's depth."""

TOLERANCE = Tolerance(2**-9, 4e-3)
"""As for float16 elsewhere here: shares are rounded before they meet the values."""


def _spec(_rng: Rng, _index: int) -> CallSpec:
    tensor = TensorSpec((PLANES, 1, LENGTH, DEPTH), FP16)
    blocks = LENGTH // BLOCK
    kept = TensorSpec((PLANES, 1, blocks, blocks), BOOL)
    return CallSpec((tensor, tensor, tensor, kept, BLOCK, False), tensor)


def _draws(_rng: Rng, _spec: CallSpec, hostile: bool) -> tuple[Draw, ...]:
    """Hostile: keys that are all alike within themselves, and planes that keep nothing.

    As many blocks are kept on the whole: nobody gains by telling the two apart.
    """
    keep = Keep(DENSITY / (1 - EMPTY_PLANES), EMPTY_PLANES) if hostile else Keep(DENSITY)
    keys = Normal(0.5, "equal_rows") if hostile else Normal()
    return Normal(), keys, Normal(), keep


def fewest_bytes(spec: CallSpec) -> int:
    """Each tensor once: of a tenth of the blocks of all rows, hardly any key is in none."""
    tensors = [a.bytes for a in spec.arguments if isinstance(a, TensorSpec)]
    return sum(tensors) + spec.out.bytes


def fewest_flops(spec: CallSpec) -> int:
    """Of the kept blocks, as many as there are on average."""
    planes, _, length, depth = spec.out.shape
    return int(PAIR_FLOPS * planes * depth * length**2 * DENSITY)


def attention_of_kept(q: Any, k: Any, v: Any, kept: Any, block: int, _causal: bool) -> Any:
    """On torch tensors of float64, a plane at a time."""
    out = v.clone()
    for plane in range(len(q)):
        scores = q[plane] @ k[plane].transpose(-1, -2) / math.sqrt(q.shape[-1])
        seen = kept[plane] != 0
        seen = seen.repeat_interleave(block, -2).repeat_interleave(block, -1)
        anybody = seen.any(-1, keepdim=True)
        scores = scores.masked_fill(~seen & anybody, -math.inf)
        out[plane] = (scores.softmax(-1) * anybody) @ v[plane]
    return out


def dense_attention(q: Any, k: Any, v: Any, *_rest: Any) -> Any:
    """What the dense baseline computes: of all keys."""
    out = v.clone()
    for plane in range(len(q)):
        scores = q[plane] @ k[plane].transpose(-1, -2) / math.sqrt(q.shape[-1])
        out[plane] = scores.softmax(-1) @ v[plane]
    return out


KEPT = DeviceWorkload(_spec, _draws, attention_of_kept, lambda _spec: TOLERANCE)
