"""All slots at a time in a tensor of three dimensions, and columns as a second axis of the grid."""


### BEGIN SOLUTION mixture_of_experts.permute
@triton.jit
def _hot(ids_ptr, t, n, k, K: tl.constexpr, E: tl.constexpr):
    s = tl.arange(0, K)
    ids = tl.load(
        ids_ptr + t[:, None] * k + s[None, :], mask=(t < n)[:, None] & (s < k)[None, :], other=-1
    )
    return (ids[:, :, None] == tl.arange(0, E)[None, None, :]).to(tl.int32)


@triton.jit
def _local(ids_ptr, sums_ptr, n, k, T: tl.constexpr, K: tl.constexpr, E: tl.constexpr):
    pid = tl.program_id(0)
    hot = _hot(ids_ptr, pid * T + tl.arange(0, T), n, k, K, E)
    tl.store(sums_ptr + tl.arange(0, E) * tl.num_programs(0) + pid, tl.sum(tl.sum(hot, 1), 0))


@triton.jit
def _move(
    x_ptr, ids_ptr, sums_ptr, out_ptr, n, k, width, blocks,
    T: tl.constexpr, K: tl.constexpr, E: tl.constexpr, D: tl.constexpr,
):
    pid, e = tl.program_id(0), tl.arange(0, E)
    all, mine = tl.zeros([E], tl.int32), tl.zeros([E], tl.int32)
    for b in range(blocks):
        v = tl.load(sums_ptr + e * blocks + b)
        all += v
        if b < pid:
            mine += v
    t = pid * T + tl.arange(0, T)
    hot = _hot(ids_ptr, t, n, k, K, E)
    row = tl.sum(hot, 1)
    at = (tl.cumsum(all, 0) - all + mine)[None, :] + tl.cumsum(row, 0) - row
    place = tl.sum(hot * at[:, None, :], 2)
    c = tl.program_id(1) * D + tl.arange(0, D)
    ok = (t < n)[:, None] & (c < width)[None, :]
    x = tl.load(x_ptr + t[:, None] * width + c[None, :], mask=ok)
    s = (tl.arange(0, K) < k)[None, :, None] & ok[:, None, :]
    tl.store(
        out_ptr + place[:, :, None] * width + c[None, None, :],
        tl.broadcast_to(x[:, None, :], (T, K, D)), mask=s,
    )


def permute(x, experts, num_experts, out):
    n, width = x.shape
    k = experts.shape[1]
    K, E = triton.next_power_of_2(k), triton.next_power_of_2(num_experts)
    blocks = triton.cdiv(n, 16)
    sums = torch.empty(E, blocks, dtype=torch.int32, device=x.device)
    _local[(blocks,)](experts, sums, n, k, T=16, K=K, E=E)
    _move[(blocks, triton.cdiv(width, 64))](
        x, experts, sums, out, n, k, width, blocks, T=16, K=K, E=E, D=64, num_warps=8
    )


### END SOLUTION
