"""A helper takes a tile of scores in and returns three tensors; masks one after the other by tl.where."""


### BEGIN SOLUTION sparse_attention_op.kernel
@triton.jit
def _online(s, v, m, l, acc):
    """Take a tile of scores and its values in."""
    new = tl.maximum(m, tl.max(s, 1))
    ref = tl.where(new == float("-inf"), 0.0, new)
    p = tl.exp(s - ref[:, None])
    a = tl.exp(m - ref)
    acc = acc * a[:, None] + tl.dot(p.to(v.dtype), v, input_precision="ieee")
    return new, l * a + tl.sum(p, 1), acc


@triton.jit
def _attend(
    q, k, v, counts, columns, out, 
    stride_q0, stride_q1, stride_q2, stride_k0, stride_k1, stride_k2,
    stride_v0, stride_v1, stride_v2, stride_o0, stride_o1, stride_o2, heads, n, scale,
    CAUSAL: tl.constexpr, BLOCK: tl.constexpr, D: tl.constexpr,
):
    i, plane = tl.program_id(0), tl.program_id(1)
    blocks = tl.num_programs(0)
    b, h = (plane // heads).to(tl.int64), (plane % heads).to(tl.int64)
    rows = i * BLOCK + tl.arange(0, BLOCK)
    d = tl.arange(0, D)
    inside = (rows < n)[:, None]
    mine = tl.load(
        q + b * stride_q0 + h * stride_q1 + rows[:, None] * stride_q2 + d[None, :],
        mask=inside, other=0.0,
    )
    at = plane.to(tl.int64) * blocks + i
    m = tl.full((BLOCK,), float("-inf"), tl.float32)
    l = tl.zeros((BLOCK,), tl.float32)
    acc = tl.zeros((BLOCK, D), tl.float32)
    last = tl.load(counts + at)
    for place in range(0, last):
        j = tl.load(columns + at * blocks + place)
        c = j * BLOCK + tl.arange(0, BLOCK)
        there = (c < n)[:, None]
        keys = tl.load(
            k + b * stride_k0 + h * stride_k1 + c[:, None] * stride_k2 + d[None, :],
            mask=there, other=0.0,
        )
        values = tl.load(
            v + b * stride_v0 + h * stride_v1 + c[:, None] * stride_v2 + d[None, :],
            mask=there, other=0.0,
        )
        s = tl.dot(mine, keys.T, input_precision="ieee") * scale
        s = tl.where((c < n)[None, :], s, float("-inf"))
        if CAUSAL:
            s = tl.where(c[None, :] <= rows[:, None], s, float("-inf"))
        m, l, acc = _online(s, values, m, l, acc)
    acc = acc / tl.where(l == 0.0, 1.0, l)[:, None]
    tl.store(
        out + b * stride_o0 + h * stride_o1 + rows[:, None] * stride_o2 + d[None, :],
        acc.to(out.dtype.element_ty), mask=inside,
    )


def attend(q, k, v, counts, columns, block, causal, out):
    """Write to `out` what the paper says, of the blocks that the lists name."""
    batch, heads, n, d = q.shape
    strides = sum((x.stride()[:3] for x in (q, k, v, out)), ())
    _attend[(-(-n // block), batch * heads)](
        q, k, v, counts, columns, out, *strides, heads, n, d**-0.5,
        CAUSAL=causal, BLOCK=block, D=d,
    )


### END SOLUTION
