"""Attention of one new token per sequence over a paged KV cache, in OpenAI Triton.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernel runs in Triton's interpreter (TRITON_INTERPRET=1).
"""

import triton
import triton.language as tl


### BEGIN SOLUTION llm_serving_engine.paged_decode
### STUB @triton.jit
### STUB def _paged_decode(q_ptr, k_ptr, v_ptr, table_ptr, positions_ptr, out_ptr):
### STUB     pass  # one program, one sequence and one key/value head; it needs more parameters
### STUB
### STUB
### STUB def paged_decode(q, k_pool, v_pool, table, positions, out):
### STUB     """Write attention of each sequence's last token to `out`.
### STUB
### STUB     q, out: [sequences, heads, dim], k_pool, v_pool: [blocks, size, kv_heads, dim]; fp16.
### STUB     table: [sequences, most blocks], positions: [sequences]; int32. positions: where each
### STUB     query is in its sequence; it attends to the tokens 0, …, position.
### STUB     """
### STUB     raise NotImplementedError("llm_serving_engine.paged_decode")
@triton.jit
def _paged_decode(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    positions_ptr,
    out_ptr,
    table_stride,
    kv_heads,
    scale,
    GROUP: tl.constexpr,
    SIZE: tl.constexpr,
    DIM: tl.constexpr,
    PADDED: tl.constexpr,
):
    sequence, kv_head = tl.program_id(0), tl.program_id(1)
    length = tl.load(positions_ptr + sequence) + 1
    rows, slots, dims = tl.arange(0, PADDED), tl.arange(0, SIZE), tl.arange(0, DIM)
    # The query heads that share this key/value head: its keys are loaded once for all of them.
    heads = kv_head * GROUP + rows
    own = (rows < GROUP)[:, None]
    places = (sequence * kv_heads * GROUP + heads)[:, None] * DIM + dims[None, :]
    q = tl.load(q_ptr + places, mask=own, other=0.0).to(tl.float32) * scale
    highest = tl.full((PADDED,), -float("inf"), tl.float32)
    total = tl.zeros((PADDED,), tl.float32)
    out = tl.zeros((PADDED, DIM), tl.float32)
    for first in range(0, length, SIZE):
        block = tl.load(table_ptr + sequence * table_stride + first // SIZE).to(tl.int64)
        inside = first + slots < length
        offsets = ((block * SIZE + slots) * kv_heads + kv_head)[:, None] * DIM + dims[None, :]
        k = tl.load(k_ptr + offsets, mask=inside[:, None], other=0.0).to(tl.float32)
        v = tl.load(v_ptr + offsets, mask=inside[:, None], other=0.0).to(tl.float32)
        scores = tl.sum(q[:, None, :] * k[None, :, :], axis=2)
        scores = tl.where(inside[None, :], scores, -float("inf"))
        above = tl.maximum(highest, tl.max(scores, axis=1))
        shares = tl.exp(scores - above[:, None])
        shrunk = tl.exp(highest - above)
        total = total * shrunk + tl.sum(shares, axis=1)
        out = out * shrunk[:, None] + tl.sum(shares[:, :, None] * v[None, :, :], axis=1)
        highest = above
    tl.store(out_ptr + places, (out / total[:, None]).to(tl.float16), mask=own)


def paged_decode(q, k_pool, v_pool, table, positions, out):
    """Write attention of each sequence's last token to `out`.

    q, out: [sequences, heads, dim], k_pool, v_pool: [blocks, size, kv_heads, dim]; fp16.
    table: [sequences, most blocks], positions: [sequences]; int32. positions: where each
    query is in its sequence; it attends to the tokens 0, …, position.
    """
    sequences, heads, dim = q.shape
    size, kv_heads = k_pool.shape[1:3]
    group = heads // kv_heads
    _paged_decode[(sequences, kv_heads)](
        q,
        k_pool,
        v_pool,
        table,
        positions,
        out,
        table.stride(0),
        kv_heads,
        dim**-0.5,
        GROUP=group,
        SIZE=size,
        DIM=dim,
        PADDED=triton.next_power_of_2(group),
    )


### END SOLUTION
