"""A while loop over a row of the list, like FlashAttention-2's over one of CSR."""


### BEGIN SOLUTION sparse_attention_op.kernel
@triton.jit
def _attend(q_ptr, k_ptr, v_ptr, counts_ptr, columns_ptr, out_ptr, heads, n, blocks, scale,
            qb, qh, qn, kb, kh, kn, vb, vh, vn, ob, oh, on,
            BLOCK: tl.constexpr, DIM: tl.constexpr, CAUSAL: tl.constexpr):
    """FlashAttention-2's loop over a row of a CSR-like list; a while loop over places."""
    i = tl.program_id(0)
    bh = tl.program_id(1)
    b = (bh // heads).to(tl.int64)
    h = (bh % heads).to(tl.int64)
    r = i * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, DIM)
    q = tl.load(q_ptr + b * qb + h * qh + r[:, None] * qn + d[None, :], mask=r[:, None] < n, other=0.0)
    row = bh * blocks + i
    left = tl.load(counts_ptr + row)
    place = columns_ptr + row.to(tl.int64) * blocks
    m = tl.full([BLOCK], float("-inf"), tl.float32)
    l = tl.zeros([BLOCK], tl.float32)
    acc = tl.zeros([BLOCK, DIM], tl.float32)
    while left > 0:
        c = tl.load(place) * BLOCK + tl.arange(0, BLOCK)
        k = tl.load(k_ptr + b * kb + h * kh + c[:, None] * kn + d[None, :], mask=c[:, None] < n, other=0.0)
        v = tl.load(v_ptr + b * vb + h * vh + c[:, None] * vn + d[None, :], mask=c[:, None] < n, other=0.0)
        s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
        see = c[None, :] < n
        if CAUSAL:
            see = see & (c[None, :] <= r[:, None])
        s = tl.where(see, s, float("-inf"))
        new = tl.maximum(m, tl.max(s, 1))
        ref = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - ref[:, None])
        a = tl.exp(m - ref)
        l = l * a + tl.sum(p, 1)
        acc = tl.dot(p.to(v.dtype), v, acc * a[:, None], input_precision="ieee")
        m = new
        place += 1
        left -= 1
    o = acc / tl.where(l == 0.0, 1.0, l)[:, None]
    tl.store(out_ptr + b * ob + h * oh + r[:, None] * on + d[None, :], o.to(out_ptr.dtype.element_ty), mask=r[:, None] < n)


def attend(q, k, v, counts, columns, block, causal, out):
    B, H, N, D = q.shape
    M = counts.shape[-1]
    _attend[(M, B * H)](q, k, v, counts, columns, out, H, N, M, 1 / math.sqrt(D),
                        *q.stride()[:3], *k.stride()[:3], *v.stride()[:3], *out.stride()[:3],
                        BLOCK=block, DIM=D, CAUSAL=causal)


### END SOLUTION
