"""Tensor descriptors made on the device, longest rows first, one masked loop, autotuned over two configurations."""


### BEGIN SOLUTION transformer_compilation.flash_forward kernels
@triton.autotune(
    [triton.Config({"BN": 64}, num_stages=s, num_warps=4) for s in (2, 3)], key=["n", "m", "D"]
)
@triton.jit
def _attend(
    q_ptr, k_ptr, v_ptr, out_ptr, n, m, group, scale,
    CAUSAL: tl.constexpr, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
):
    head = tl.program_id(1)
    # With a causal mask the last blocks of queries see the most keys: they begin first.
    first = (tl.num_programs(0) - 1 - tl.program_id(0)) * BM
    q_desc = tl.make_tensor_descriptor(q_ptr + head.to(tl.int64) * n * D, [n, D], [D, 1], [BM, D])
    kv = (head // group).to(tl.int64) * m * D
    k_desc = tl.make_tensor_descriptor(k_ptr + kv, [m, D], [D, 1], [BN, D])
    v_desc = tl.make_tensor_descriptor(v_ptr + kv, [m, D], [D, 1], [BN, D])
    q = q_desc.load([first, 0])
    rows = first + tl.arange(0, BM)
    high = tl.full([BM], float("-inf"), tl.float32)
    total = tl.zeros([BM], tl.float32)
    acc = tl.zeros([BM, D], tl.float32)
    stop = tl.minimum(m, first + BM + m - n) if CAUSAL else m
    start = 0
    while start < stop:
        k = k_desc.load([start, 0])
        s = tl.dot(q, k.T, input_precision="ieee").to(tl.float32) * scale
        c = start + tl.arange(0, BN)
        seen = (c < m)[None, :] & (rows < n)[:, None]
        if CAUSAL:
            seen = seen & (c[None, :] - rows[:, None] <= m - n)
        s = tl.where(seen, s, float("-inf"))
        new = tl.maximum(high, s.max(1))
        safe = tl.where(new == float("-inf"), 0.0, new)
        p = tl.exp(s - safe[:, None])
        shrink = tl.exp(high - safe)
        total = total * shrink + p.sum(1)
        acc = acc * shrink[:, None] + tl.dot(
            p.to(v_ptr.dtype.element_ty), v_desc.load([start, 0]), input_precision="ieee"
        )
        high = new
        start += BN
    acc /= tl.where(total == 0.0, 1.0, total)[:, None]
    out_desc = tl.make_tensor_descriptor(
        out_ptr + head.to(tl.int64) * n * D, [n, D], [D, 1], [BM, D]
    )
    out_desc.store([first, 0], acc.to(out_ptr.dtype.element_ty))


### END SOLUTION


### BEGIN SOLUTION transformer_compilation.flash_forward launch
def attention(q, k, v, scale, causal, out):
    """Fill `out` with the attention of q over k and v; see the notebook."""
    if q.is_cuda:
        triton.set_allocator(
            lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device="cuda")
        )
    heads, n, d = q.shape
    _attend[(triton.cdiv(n, 64), heads)](
        q, k, v, out, n, k.shape[1], heads // k.shape[0], scale, CAUSAL=causal, D=d, BM=64
    )


### END SOLUTION
