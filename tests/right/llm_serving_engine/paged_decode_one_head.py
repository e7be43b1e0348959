"""A program for each sequence and key/value head walks the heads of its group in an unrolled loop of scores in base two."""


### BEGIN SOLUTION llm_serving_engine.paged_decode
@triton.jit
def _paged_decode(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    positions_ptr,
    out_ptr,
    most_blocks,
    heads,
    kv_heads,
    scale,
    GROUP: tl.constexpr,
    PADDED: tl.constexpr,
    SIZE: tl.constexpr,
    DIM: tl.constexpr,
):
    LOG2E: tl.constexpr = 1.4426950408889634
    program = tl.program_id(0)
    seq = program // kv_heads
    kv = program % kv_heads
    group = tl.arange(0, PADDED)
    d = tl.arange(0, DIM)
    slot = tl.arange(0, SIZE)
    query = (seq * heads + kv * GROUP + group[:, None]) * DIM + d[None, :]
    mask = group[:, None] < GROUP
    q = tl.load(q_ptr + query, mask=mask, other=0.0).to(tl.float32) * (scale * LOG2E)
    position = tl.load(positions_ptr + seq)
    top = tl.full([PADDED], float("-inf"), tl.float32)
    total = tl.zeros([PADDED], tl.float32)
    acc = tl.zeros([PADDED, DIM], tl.float32)
    page = 0
    while page * SIZE <= position:
        block = tl.load(table_ptr + seq * most_blocks + page).to(tl.int64)
        live = page * SIZE + slot <= position
        at = ((block * SIZE + slot[:, None]) * kv_heads + kv) * DIM + d[None, :]
        k = tl.load(k_ptr + at, mask=live[:, None], other=0.0).to(tl.float32)
        v = tl.load(v_ptr + at, mask=live[:, None], other=0.0).to(tl.float32)
        s = tl.sum(q[:, None, :] * k[None, :, :], axis=2)
        s = tl.where(live[None, :], s, float("-inf"))
        new = tl.maximum(top, tl.max(s, axis=1))
        p = tl.exp2(s - new[:, None])
        alpha = tl.exp2(top - new)
        total = total * alpha + tl.sum(p, axis=1)
        acc = acc * alpha[:, None] + tl.sum(p[:, :, None] * v[None, :, :], axis=1)
        top = new
        page += 1
    acc /= total[:, None]
    tl.store(out_ptr + query, acc.to(out_ptr.dtype.element_ty), mask=mask)


def paged_decode(q, k_pool, v_pool, table, positions, out):
    sequences, heads, dim = q.shape
    _, size, kv_heads, _ = k_pool.shape
    group = heads // kv_heads
    _paged_decode[(sequences * kv_heads,)](
        q,
        k_pool,
        v_pool,
        table,
        positions,
        out,
        table.shape[1],
        heads,
        kv_heads,
        dim**-0.5,
        GROUP=group,
        PADDED=triton.next_power_of_2(group),
        SIZE=size,
        DIM=dim,
        num_warps=2,
    )


### END SOLUTION
