"""Helper functions for loading a page and for one step of the softmax, asserts, and a for loop over pages."""


### BEGIN SOLUTION llm_serving_engine.paged_decode
@triton.jit
def _page(pool_ptr, block, kv, kv_heads, inside, SIZE: tl.constexpr, DIM: tl.constexpr):
    rows = block.to(tl.int64) * SIZE + tl.arange(0, SIZE)
    at = (rows * kv_heads + kv)[:, None] * DIM + tl.arange(0, DIM)[None, :]
    return tl.load(pool_ptr + at, mask=inside[:, None], other=0.0).to(tl.float32)


@triton.jit
def _softmax_step(scores, highest, total):
    above = tl.maximum(highest, tl.max(scores, axis=1))
    shrunk = tl.exp(highest - above)
    shares = tl.exp(scores - above[:, None])
    return shares, shrunk, above, total * shrunk + tl.sum(shares, axis=1)


@triton.jit
def _decode(
    q_ptr,
    k_ptr,
    v_ptr,
    table_ptr,
    positions_ptr,
    out_ptr,
    table_row,
    kv_heads,
    GROUP: tl.constexpr,
    PADDED: tl.constexpr,
    SIZE: tl.constexpr,
    DIM: tl.constexpr,
):
    tl.static_assert(PADDED >= GROUP, "all heads of a group have a row")
    seq = tl.program_id(1)
    kv = tl.program_id(0)
    heads = tl.arange(0, PADDED)
    places = ((seq * kv_heads + kv) * GROUP + heads)[:, None] * DIM + tl.arange(0, DIM)[None, :]
    used = (heads < GROUP)[:, None]
    q = tl.load(q_ptr + places, used, 0.0).to(tl.float32)
    length = tl.load(positions_ptr + seq) + 1
    tl.device_assert(length > 0, "an empty sequence")
    highest = tl.full((PADDED,), float("-inf"), dtype=tl.float32)
    total = tl.zeros((PADDED,), dtype=tl.float32)
    out = tl.zeros((PADDED, DIM), dtype=tl.float32)
    for number in tl.range(tl.cdiv(length, SIZE)):
        block = tl.load(table_ptr + seq * table_row + number)
        inside = number * SIZE + tl.arange(0, SIZE) < length
        k = _page(k_ptr, block, kv, kv_heads, inside, SIZE, DIM)
        v = _page(v_ptr, block, kv, kv_heads, inside, SIZE, DIM)
        scores = tl.sum(tl.expand_dims(q, 1) * tl.expand_dims(k, 0), axis=2) / tl.sqrt(DIM * 1.0)
        scores = tl.where(inside[None, :], scores, float("-inf"))
        shares, shrunk, highest, total = _softmax_step(scores, highest, total)
        out = out * shrunk[:, None] + tl.sum(shares[:, :, None] * v[None, :, :], axis=1)
    tl.store(out_ptr + places, tl.fdiv(out, total[:, None] + 0.0).to(tl.float16), used)


def paged_decode(q, k_pool, v_pool, table, positions, out):
    kv_heads, dim = k_pool.shape[-2:]
    group = q.shape[1] // kv_heads
    grid = lambda meta: (kv_heads, q.shape[0])
    _decode[grid](
        q,
        k_pool,
        v_pool,
        table,
        positions,
        out,
        table.stride(0),
        kv_heads,
        group,
        triton.next_power_of_2(group),
        k_pool.shape[1],
        dim,
    )


### END SOLUTION
