"""Contiguous parts of whole steps; the second kernel sums a tile [parts, block] with tl.reduce."""


### BEGIN SOLUTION gemm_tensor_cores.split_k
@triton.jit
def _plus(x, y):
    return x + y


@triton.jit
def _part(a_ptr, b_ptr, parts_ptr, m, n, k, steps, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    part = tl.program_id(2)
    total = tl.zeros((M, N), tl.float32)
    for step in range(part * steps, (part + 1) * steps):
        d = step * K + tl.arange(0, K)
        a = tl.load(a_ptr + rows[:, None] * k + d, mask=(rows < m)[:, None] & (d < k), other=0)
        b = tl.load(b_ptr + d[:, None] * n + columns, mask=(d < k)[:, None] & (columns < n), other=0)
        total = tl.dot(a, b, total)
    inside = (rows < m)[:, None] & (columns < n)
    tl.store(parts_ptr + part * m * n + rows[:, None] * n + columns, total, mask=inside)


@triton.jit
def _join(parts_ptr, c_ptr, count, parts, P: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    p = tl.arange(0, P)[:, None]
    x = tl.load(parts_ptr + p * count + i[None, :], mask=(p < parts) & (i < count)[None, :], other=0.0)
    tl.store(c_ptr + i, tl.reduce(x, 0, _plus), mask=i < count)


def split_k(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    (m, k), n = a.shape, b.shape[1]
    tiles = triton.cdiv(m, 64), triton.cdiv(n, 64)
    all_steps = triton.cdiv(k, 64)
    steps = max(1, all_steps * tiles[0] * tiles[1] // 32)
    parts = triton.cdiv(all_steps, steps)
    scratch = torch.empty(parts, m, n, dtype=torch.float32, device=a.device)
    _part[(*tiles, parts)](a, b, scratch, m, n, k, steps, M=64, N=64, K=64)
    _join[(triton.cdiv(m * n, 256),)](
        scratch, c, m * n, parts, P=triton.next_power_of_2(parts), BLOCK=256
    )


### END SOLUTION
