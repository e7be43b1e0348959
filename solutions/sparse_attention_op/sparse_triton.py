"""Attention over lists of kept blocks, in OpenAI Triton: task 3.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernels run in Triton's interpreter (TRITON_INTERPRET=1).
"""

import math

import torch
import triton
import triton.language as tl


def lists(kept):
    """Of bool [B, H, M, M]: how many key blocks each query block keeps, and which.

    counts: int32 [B, H, M]. columns: int32 [B, H, M, M]; row i begins with its counts[i] kept
    blocks in rising order. What stands behind them means nothing.
    """
    counts = kept.sum(-1, dtype=torch.int32)
    columns = kept.to(torch.uint8).argsort(dim=-1, descending=True, stable=True)
    return counts, columns.to(torch.int32)


### BEGIN SOLUTION sparse_attention_op.kernel
### STUB @triton.jit
### STUB def _attend(q_ptr, k_ptr, v_ptr, counts_ptr, columns_ptr, out_ptr):
### STUB     pass  # one program, one block of queries
### STUB
### STUB
### STUB def attend(q, k, v, counts, columns, block, causal, out):
### STUB     """Write to `out` what the paper says, of the blocks that the lists name.
### STUB
### STUB     q, k, v, out: [B, H, N, D], D contiguous, other strides as they come. counts,
### STUB     columns: as lists() makes them. block: 16, 32 or 64.
### STUB     """
### STUB     raise NotImplementedError("sparse_attention_op.kernel")
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
        highest = tl.maximum(maximum, tl.max(scores, axis=1))
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


def attend_kept(q, k, v, kept, block, causal, out):
    """The same for kept blocks as a mask, bool [B, H, M, M]; with causal, of none behind a query's
    own block.
    """
    attend(q, k, v, *lists(kept.tril() if causal else kept), block, causal, out)
