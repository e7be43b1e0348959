"""Products by sums instead of tl.dot, 32 tokens at a time from the newest one backwards, in base 2."""

### BEGIN SOLUTION llm_serving_frontier.latent_decode
@triton.jit
def _attend(Q, QR, C, POS, WIN, OUT, seq_stride, H, R: tl.constexpr, P: tl.constexpr, N: tl.constexpr):
    b = tl.program_id(0)
    end = tl.load(POS + b)
    begin = end - tl.load(WIN + b) + 1
    begin = tl.where(begin > 0, begin, 0)
    h = tl.arange(0, N)
    r = tl.arange(0, R)
    p = tl.arange(0, P)
    mask = h < H
    q = tl.load(Q + (b * H + h[:, None]) * R + r[None, :], mask=mask[:, None], other=0.0)
    qr = tl.load(QR + (b * H + h[:, None]) * P + p[None, :], mask=mask[:, None], other=0.0)
    q = q.to(tl.float32) * 1.4426950408889634
    qr = qr.to(tl.float32) * 1.4426950408889634
    m = tl.full([N], -1e30, tl.float32)
    s = tl.zeros([N], tl.float32)
    acc = tl.zeros([N, R], tl.float32)
    at = end
    while at >= begin:
        t = at - tl.arange(0, 32)
        ok = t >= begin
        base = C + b.to(tl.int64) * seq_stride + t[:, None] * (R + P)
        c = tl.load(base + r[None, :], mask=ok[:, None], other=0.0).to(tl.float32)
        k = tl.load(base + R + p[None, :], mask=ok[:, None], other=0.0).to(tl.float32)
        x = tl.sum(q[:, None, :] * c[None, :, :], axis=2)
        x += tl.sum(qr[:, None, :] * k[None, :, :], axis=2)
        x = tl.where(ok[None, :], x, -1e30)
        new = tl.maximum(m, tl.max(x, axis=1))
        w = tl.where(ok[None, :], tl.exp2(x - new[:, None]), 0.0)
        keep = tl.exp2(m - new)
        s = s * keep + tl.sum(w, axis=1)
        acc = acc * keep[:, None] + tl.sum(w[:, :, None] * c[None, :, :], axis=1)
        m = new
        at -= 32
    tl.store(OUT + (b * H + h[:, None]) * R + r[None, :], acc / s[:, None], mask=mask[:, None])


def latent_decode(q, q_rope, cache, positions, windows, out):
    b, h, r = q.shape
    grid = (b,)
    _attend[grid](
        q,
        q_rope,
        cache,
        positions,
        windows,
        out,
        cache.stride(0),
        h,
        R=r,
        P=q_rope.shape[-1],
        N=triton.next_power_of_2(h),
    )


### END SOLUTION
