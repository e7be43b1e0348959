"""A kernel of its own for delta, then the transposed scores of the tutorial, log2 of everything, in two kernels."""


### BEGIN SOLUTION transformer_compilation.flash_backward kernels
LOG2E = tl.constexpr(1.4426950408889634)


@triton.jit
def _delta(o_ptr, do_ptr, delta_ptr, rows, D: tl.constexpr, BLOCK: tl.constexpr):
    r = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    place = r[:, None].to(tl.int64) * D + tl.arange(0, D)[None, :]
    o = tl.load(o_ptr + place, mask=r[:, None] < rows, other=0.0).to(tl.float32)
    do = tl.load(do_ptr + place, mask=r[:, None] < rows, other=0.0).to(tl.float32)
    tl.store(delta_ptr + r, tl.sum(o * do, axis=1), mask=r < rows)


@triton.jit
def _pT(q, k, lse, i, j, n, m, scale, CAUSAL: tl.constexpr):
    """Weights with keys down and queries across."""
    sT = tl.dot(k, q.T, input_precision="ieee") * (scale * LOG2E)
    finite = tl.where(lse == float("-inf"), 0.0, lse * LOG2E)
    pT = tl.exp2(sT - finite[None, :])
    seen = (i[None, :] < n) & (j[:, None] < m)
    if CAUSAL:
        seen &= j[:, None] <= i[None, :] + (m - n)
    return tl.where(seen, pT, 0.0)


@triton.jit
def _dkdv(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, grads_ptr, n, m, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, B: tl.constexpr,
):
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    d = tl.arange(0, D)[None, :]
    j = block * B + tl.arange(0, B)
    k = tl.load(k_ptr + (head * m + j[:, None]) * D + d, mask=j[:, None] < m, other=0.0)
    v = tl.load(v_ptr + (head * m + j[:, None]) * D + d, mask=j[:, None] < m, other=0.0)
    dk = tl.zeros([B, D], tl.float32)
    dv = tl.zeros([B, D], tl.float32)
    start = 0
    if CAUSAL:
        start = max(0, block * B - (m - n)) // B * B
    for first in tl.range(start, n, B):
        i = first + tl.arange(0, B)
        q = tl.load(q_ptr + (head * n + i[:, None]) * D + d, mask=i[:, None] < n, other=0.0)
        do = tl.load(do_ptr + (head * n + i[:, None]) * D + d, mask=i[:, None] < n, other=0.0)
        lse = tl.load(lse_ptr + head * n + i, mask=i < n, other=0.0)
        delta = tl.load(delta_ptr + head * n + i, mask=i < n, other=0.0)
        pT = _pT(q, k, lse, i, j, n, m, scale, CAUSAL)
        dv += tl.dot(pT.to(do.dtype), do, input_precision="ieee")
        dpT = tl.dot(v, tl.trans(do), input_precision="ieee")
        dsT = pT * (dpT - delta[None, :])
        dk += tl.dot(dsT.to(q.dtype), q, input_precision="ieee")
    base = grads_ptr + head * (n + 2 * m) * D
    tl.store(base + (n + j[:, None]) * D + d, (dk * scale).to(k.dtype), mask=j[:, None] < m)
    tl.store(base + (n + m + j[:, None]) * D + d, dv.to(k.dtype), mask=j[:, None] < m)


@triton.jit
def _dq(
    q_ptr, k_ptr, v_ptr, do_ptr, lse_ptr, delta_ptr, grads_ptr, n, m, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, B: tl.constexpr,
):
    block, head = tl.program_id(0), tl.program_id(1).to(tl.int64)
    d = tl.arange(0, D)[None, :]
    i = block * B + tl.arange(0, B)
    q = tl.load(q_ptr + (head * n + i[:, None]) * D + d, mask=i[:, None] < n, other=0.0)
    do = tl.load(do_ptr + (head * n + i[:, None]) * D + d, mask=i[:, None] < n, other=0.0)
    lse = tl.load(lse_ptr + head * n + i, mask=i < n, other=0.0)
    delta = tl.load(delta_ptr + head * n + i, mask=i < n, other=0.0)
    dq = tl.zeros([B, D], tl.float32)
    stop = m
    if CAUSAL:
        stop = min(m, block * B + B + m - n)
    for first in tl.range(0, stop, B):
        j = first + tl.arange(0, B)
        k = tl.load(k_ptr + (head * m + j[:, None]) * D + d, mask=j[:, None] < m, other=0.0)
        v = tl.load(v_ptr + (head * m + j[:, None]) * D + d, mask=j[:, None] < m, other=0.0)
        p = _pT(q, k, lse, i, j, n, m, scale, CAUSAL).T
        dp = tl.dot(do, v.T, input_precision="ieee")
        ds = (p * (dp - delta[:, None])).to(k.dtype)
        dq = tl.dot(ds, k, dq, input_precision="ieee")
    base = grads_ptr + head * (n + 2 * m) * D
    tl.store(base + i[:, None] * D + d, (dq * scale).to(q.dtype), mask=i[:, None] < n)


### END SOLUTION


### BEGIN SOLUTION transformer_compilation.flash_backward launch
def gradients(q, k, v, out, dout, lse, scale, causal, grads):
    """Fill `grads` with the gradients of q, k and v; see the notebook."""
    heads, n, d = q.shape
    m = k.size(1)
    delta = torch.empty_like(lse)
    _delta[(triton.cdiv(heads * n, 64),)](out, dout, delta, heads * n, D=d, BLOCK=64)
    common = dict(CAUSAL=causal, D=d, B=64, num_warps=4)
    _dkdv[(triton.cdiv(m, 64), heads)](q, k, v, dout, lse, delta, grads, n, m, scale, **common)
    _dq[(triton.cdiv(n, 64), heads)](q, k, v, dout, lse, delta, grads, n, m, scale, **common)


### END SOLUTION
