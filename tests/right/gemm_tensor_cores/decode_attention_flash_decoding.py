"""FlashDecoding with blocks of 64 tokens gathered through the table, exp2, broadcasted sums in place of tl.dot for v."""


### BEGIN SOLUTION gemm_tensor_cores.decode_attention
@triton.jit
def _split(
    q_ptr, k_ptr, v_ptr, table_ptr, lengths_ptr, part_ptr, lse_ptr,
    heads, kv_heads, most_pages, splits, scale,
    GROUP: tl.constexpr, D: tl.constexpr, TOKENS: tl.constexpr, H: tl.constexpr = 16,
):
    s, kv, part = tl.program_id(0), tl.program_id(1), tl.program_id(2)
    length = tl.load(lengths_ptr + s)
    t = part * TOKENS + tl.arange(0, TOKENS)
    here = t < length
    page = tl.load(table_ptr + s * most_pages + t // 16, mask=here, other=0).to(tl.int64)
    d = tl.arange(0, D)
    place = ((page * 16 + t % 16)[:, None] * kv_heads + kv) * D + d[None, :]
    h = tl.arange(0, H)
    row = s * heads + kv * GROUP + h
    q = tl.load(q_ptr + row[:, None] * D + d[None, :], mask=(h < GROUP)[:, None], other=0.0)
    k = tl.load(k_ptr + place, mask=here[:, None], other=0.0)
    v = tl.load(v_ptr + place, mask=here[:, None], other=0.0)
    scores = tl.dot(q, k.T) * (scale * 1.4426950408889634)
    scores = tl.where(here[None, :], scores, float("-inf"))
    m = tl.max(scores, 1)
    ref = tl.where(m == float("-inf"), 0.0, m)
    p = tl.exp2(scores - ref[:, None])
    total = tl.sum(p, 1)
    o = tl.dot(p.to(tl.float16), v)
    out = (row * splits + part)
    o = o / tl.where(total == 0.0, 1.0, total)[:, None]
    tl.store(part_ptr + out[:, None] * D + d[None, :], o, mask=(h < GROUP)[:, None])
    lse = tl.where(total == 0.0, float("-inf"), ref + tl.log2(tl.where(total == 0.0, 1.0, total)))
    tl.store(lse_ptr + out, lse, mask=h < GROUP)


@triton.jit
def _combine(part_ptr, lse_ptr, out_ptr, splits, D: tl.constexpr):
    row = tl.program_id(0)
    d = tl.arange(0, D)
    m = float("-inf")
    total = 0.0
    acc = tl.zeros((D,), tl.float32)
    for part in range(splits):
        lse = tl.load(lse_ptr + row * splits + part)
        new = tl.maximum(m, lse)
        if new > float("-inf"):
            old, mine = tl.exp2(m - new), tl.exp2(lse - new)
            acc = acc * old + mine * tl.load(part_ptr + (row * splits + part) * D + d)
            total = total * old + mine
            m = new
    tl.store(out_ptr + row * D + d, acc / total)


def decode_attention(q, k, v, pages, lengths, out):
    sequences, heads, d = q.shape
    kv_heads = k.shape[2]
    tokens = 64
    splits = triton.cdiv(pages.shape[1] * 16, tokens)
    parts = torch.empty(sequences * heads * splits, d, dtype=torch.float32, device=q.device)
    lse = torch.empty(sequences * heads * splits, dtype=torch.float32, device=q.device)
    _split[(sequences, kv_heads, splits)](
        q, k, v, pages, lengths, parts, lse, heads, kv_heads, pages.shape[1], splits, d**-0.5,
        GROUP=heads // kv_heads, D=d, TOKENS=tokens,
    )
    _combine[(sequences * heads,)](parts, lse, out, splits, D=d)


### END SOLUTION
