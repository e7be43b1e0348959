"""One launch: a third axis of the grid chooses whether a program computes gradients of keys or of queries."""


### BEGIN SOLUTION transformer_compilation.flash_backward kernels
@triton.jit
def _load(base, index, count, D: tl.constexpr):
    place = index[:, None] * D + tl.arange(0, D)[None, :]
    return tl.load(base + place, mask=(index < count)[:, None], other=0.0)


@triton.jit
def _store(base, index, count, value, D: tl.constexpr):
    place = index[:, None] * D + tl.arange(0, D)[None, :]
    tl.store(base + place, value.to(base.dtype.element_ty), mask=(index < count)[:, None])


@triton.jit
def _p_and_ds(q, k, v, o, do, lse, i, j, n, m, scale, CAUSAL: tl.constexpr):
    """Weights and gradients of scores of a tile [queries, keys]."""
    s = tl.dot(q, tl.trans(k), input_precision="ieee") * scale
    seen = (i < n)[:, None] & (j < m)[None, :]
    if CAUSAL:
        seen = seen & (i[:, None] + (m - n) >= j[None, :])
    p = tl.where(seen, tl.exp(s - tl.where(lse == float("-inf"), 0.0, lse)[:, None]), 0.0)
    delta = tl.sum(do.to(tl.float32) * o.to(tl.float32), 1)
    dp = tl.dot(do, tl.trans(v), input_precision="ieee")
    return p, p * (dp - delta[:, None])


@triton.jit
def _backward(
    q_ptr, k_ptr, v_ptr, o_ptr, do_ptr, lse_ptr, grads_ptr, n, m, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, B: tl.constexpr,
):
    head = tl.program_id(1).to(tl.int64)
    first = tl.program_id(0) * B
    q_ptr += head * n * D
    o_ptr += head * n * D
    do_ptr += head * n * D
    k_ptr += head * m * D
    v_ptr += head * m * D
    lse_ptr += head * n
    grads_ptr += head * (n + 2 * m) * D
    mine = first + tl.arange(0, B)
    if tl.program_id(2) == 0:
        if first < m:
            k = _load(k_ptr, mine, m, D)
            v = _load(v_ptr, mine, m, D)
            dk = tl.zeros((B, D), tl.float32)
            dv = tl.zeros((B, D), tl.float32)
            start = tl.maximum(first + n - m, 0) // B * B if CAUSAL else 0
            for at in range(start, n, B):
                i = at + tl.arange(0, B)
                q = _load(q_ptr, i, n, D)
                o = _load(o_ptr, i, n, D)
                do = _load(do_ptr, i, n, D)
                lse = tl.load(lse_ptr + i, mask=i < n, other=0.0)
                p, ds = _p_and_ds(q, k, v, o, do, lse, i, mine, n, m, scale, CAUSAL)
                dv += tl.dot(tl.trans(p).to(v.dtype), do, input_precision="ieee")
                dk += tl.dot(tl.trans(ds).to(k.dtype), q, input_precision="ieee")
            _store(grads_ptr + n * D, mine, m, dk * scale, D)
            _store(grads_ptr + (n + m) * D, mine, m, dv, D)
    else:
        if first < n:
            q = _load(q_ptr, mine, n, D)
            o = _load(o_ptr, mine, n, D)
            do = _load(do_ptr, mine, n, D)
            lse = tl.load(lse_ptr + mine, mask=mine < n, other=0.0)
            dq = tl.zeros((B, D), tl.float32)
            stop = tl.minimum(first + B + m - n, m) if CAUSAL else m
            for at in range(0, stop, B):
                j = at + tl.arange(0, B)
                k = _load(k_ptr, j, m, D)
                v = _load(v_ptr, j, m, D)
                _, ds = _p_and_ds(q, k, v, o, do, lse, mine, j, n, m, scale, CAUSAL)
                dq += tl.dot(ds.to(k.dtype), k, input_precision="ieee")
            _store(grads_ptr, mine, n, dq * scale, D)


### END SOLUTION


### BEGIN SOLUTION transformer_compilation.flash_backward launch
def gradients(q, k, v, out, dout, lse, scale, causal, grads):
    """Fill `grads` with the gradients of q, k and v; see the notebook."""
    (heads, n, d), m = q.shape, k.shape[1]
    grid = (triton.cdiv(max(n, m), 64), heads, 2)
    _backward[grid](
        q, k, v, out, dout, lse, grads, n, m, scale, CAUSAL=causal, D=d, B=64, num_warps=4
    )


### END SOLUTION
