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
"""Of all keys, or of those up to a query's own place: the fastest that PyTorch has."""

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
    return _call(causal=False)


def _causal_spec(_rng: Rng, _index: int) -> CallSpec:
    return _call(causal=True)


def _call(*, causal: bool) -> CallSpec:
    tensor = TensorSpec((PLANES, 1, LENGTH, DEPTH), FP16)
    blocks = LENGTH // BLOCK
    kept = TensorSpec((PLANES, 1, blocks, blocks), BOOL)
    return CallSpec((tensor, tensor, tensor, kept, BLOCK, causal), tensor)


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


def fewest_causal_bytes(spec: CallSpec) -> int:
    """As `fewest_bytes`; late keys and early queries are in no kept block more often."""
    blocks = LENGTH // BLOCK
    missed = sum((1 - DENSITY) ** count for count in range(1, blocks + 1)) / blocks
    return int(fewest_bytes(spec) - 3 * missed * spec.out.bytes)


def fewest_causal_flops(spec: CallSpec) -> int:
    """Of the kept blocks up to the diagonal, and half of those on it."""
    return fewest_flops(spec) // 2


def attention_of_kept(q: Any, k: Any, v: Any, kept: Any, block: int, causal: bool) -> Any:
    """On torch tensors of float64, a plane at a time."""
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
    """What the dense baseline computes: of all keys, or of those up to a query's own place."""
    out = v.clone()
    for plane in range(len(q)):
        scores = q[plane] @ k[plane].transpose(-1, -2) / math.sqrt(q.shape[-1])
        if causal:
            seen = scores.new_ones(scores.shape).tril() != 0
            scores = scores.masked_fill(~seen, -math.inf)
        out[plane] = scores.softmax(-1) @ v[plane]
    return out


KEPT = DeviceWorkload(_spec, _draws, attention_of_kept, lambda _spec: TOLERANCE)

KEPT_CAUSAL = DeviceWorkload(_causal_spec, _draws, attention_of_kept, lambda _spec: TOLERANCE)
