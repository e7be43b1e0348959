"""Takes the maximum over the first half of each block of keys.

fails: flash_forward.correct
"""

import triton
import triton.language as tl


### BEGIN SOLUTION transformer_compilation.flash_forward kernels
@triton.jit
def _forward(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    queries,
    keys,
    group,
    scale,
    CAUSAL: tl.constexpr,
    WIDTH: tl.constexpr,
    QUERIES: tl.constexpr,
    KEYS: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    first = tl.program_id(0) * QUERIES
    row = first + tl.arange(0, QUERIES)
    column = tl.arange(0, WIDTH)
    block = tl.arange(0, KEYS)
    inside = row < queries
    place = head * queries * WIDTH + row[:, None] * WIDTH + column[None, :]
    q = tl.load(q_ptr + place, mask=inside[:, None], other=0.0)
    keys_of = k_ptr + (head // group) * keys * WIDTH
    values_of = v_ptr + (head // group) * keys * WIDTH
    maximum = tl.full((QUERIES,), -float("inf"), tl.float32)
    total = tl.zeros((QUERIES,), tl.float32)
    summed = tl.zeros((QUERIES, WIDTH), tl.float32)
    end = keys
    if CAUSAL:
        # The last query of this program sees the keys below this; blocks behind it are not read.
        end = tl.minimum(keys, first + QUERIES + keys - queries)
    for start in range(0, end, KEYS):
        there = start + block < keys
        k = tl.load(
            keys_of + (start + block)[None, :] * WIDTH + column[:, None],
            mask=there[None, :],
            other=0.0,
        )
        scores = tl.dot(q, k, input_precision="ieee") * scale
        seen = there[None, :]
        if CAUSAL:
            seen = seen & ((start + block)[None, :] <= row[:, None] + keys - queries)
        scores = tl.where(seen, scores, -float("inf"))
        first_half = tl.where(block[None, :] < KEYS // 2, scores, -float("inf"))
        highest = tl.maximum(maximum, tl.max(first_half, axis=1))
        shift = tl.where(highest == -float("inf"), 0.0, highest)
        weights = tl.exp(scores - shift[:, None])
        old = tl.exp(maximum - shift)
        total = total * old + tl.sum(weights, axis=1)
        v = tl.load(
            values_of + (start + block)[:, None] * WIDTH + column[None, :],
            mask=there[:, None],
            other=0.0,
        )
        # The weights are rounded to the type of the values: that is what tensor cores multiply.
        summed = summed * old[:, None]
        summed = tl.dot(weights.to(v.dtype), v, summed, input_precision="ieee")
        maximum = highest
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + place, summed / total[:, None], mask=inside[:, None])


### END SOLUTION
