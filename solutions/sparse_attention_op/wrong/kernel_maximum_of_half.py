"""Takes the maximum over the first half of each block of keys.

fails: kernel.correct
"""

import math

import triton
import triton.language as tl


### BEGIN SOLUTION sparse_attention_op.kernel
@triton.jit
def _attend(
    q_ptr,
    k_ptr,
    v_ptr,
    counts_ptr,
    columns_ptr,
    out_ptr,
    q_batch,
    q_head,
    q_row,
    k_batch,
    k_head,
    k_row,
    v_batch,
    v_head,
    v_row,
    out_batch,
    out_head,
    out_row,
    heads,
    length,
    blocks,
    scale,
    CAUSAL: tl.constexpr,
    BLOCK: tl.constexpr,
    DEPTH: tl.constexpr,
):
    block_row = tl.program_id(0)
    batch = (tl.program_id(1) // heads).to(tl.int64)
    head = (tl.program_id(1) % heads).to(tl.int64)
    list_row = tl.program_id(1).to(tl.int64) * blocks + block_row
    inner = tl.arange(0, BLOCK)
    depth = tl.arange(0, DEPTH)
    rows = block_row * BLOCK + inner
    row_inside = rows < length
    q_start = q_ptr + batch * q_batch + head * q_head
    q = tl.load(
        q_start + rows[:, None] * q_row + depth[None, :], mask=row_inside[:, None], other=0.0
    )
    k_start = k_ptr + batch * k_batch + head * k_head
    v_start = v_ptr + batch * v_batch + head * v_head
    maximum = tl.full([BLOCK], -float("inf"), tl.float32)
    total = tl.zeros([BLOCK], tl.float32)
    sums = tl.zeros([BLOCK, DEPTH], tl.float32)
    # Nothing is loaded of a block that is not listed: that is the whole point.
    for place in range(tl.load(counts_ptr + list_row)):
        column = tl.load(columns_ptr + list_row * blocks + place)
        columns = column * BLOCK + inner
        inside = columns < length
        k = tl.load(
            k_start + columns[:, None] * k_row + depth[None, :], mask=inside[:, None], other=0.0
        )
        # "ieee": for float32 a GPU would round the factors to ten bits otherwise.
        scores = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        allowed = inside[None, :]
        if CAUSAL:
            allowed = allowed & (columns[None, :] <= rows[:, None])
        scores = tl.where(allowed, scores, -float("inf"))
        first_half = tl.where(inner[None, :] < BLOCK // 2, scores, -float("inf"))
        highest = tl.maximum(maximum, tl.max(first_half, axis=1))
        # A row that has seen nothing yet: −inf − (−inf) would be NaN.
        shift = tl.where(highest == -float("inf"), 0.0, highest)
        shares = tl.exp(scores - shift[:, None])
        old = tl.exp(maximum - shift)
        total = total * old + tl.sum(shares, axis=1)
        v = tl.load(
            v_start + columns[:, None] * v_row + depth[None, :], mask=inside[:, None], other=0.0
        )
        sums = sums * old[:, None] + tl.dot(shares.to(v.dtype), v, input_precision="ieee")
        maximum = highest
    total = tl.where(total == 0.0, 1.0, total)
    out_start = out_ptr + batch * out_batch + head * out_head
    tl.store(
        out_start + rows[:, None] * out_row + depth[None, :],
        (sums / total[:, None]).to(out_ptr.dtype.element_ty),
        mask=row_inside[:, None],
    )


def attend(q, k, v, counts, columns, block, causal, out):
    """Write to `out` what the paper says, of the blocks that the lists name.

    q, k, v, out: [B, H, N, D], D contiguous, other strides as they come. counts, columns: as
    lists() makes them. block: 16, 32 or 64.
    """
    batch, heads, length, depth = q.shape
    blocks = triton.cdiv(length, block)
    strides = [stride for x in (q, k, v, out) for stride in x.stride()[:3]]
    _attend[(blocks, batch * heads)](
        q,
        k,
        v,
        counts,
        columns,
        out,
        *strides,
        heads,
        length,
        blocks,
        1 / math.sqrt(depth),
        CAUSAL=causal,
        BLOCK=block,
        DEPTH=depth,
        num_warps=4,
    )


### END SOLUTION
