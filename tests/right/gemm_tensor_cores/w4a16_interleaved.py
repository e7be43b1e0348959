"""Low and high halves are joined and interleaved into the whole tile before one product a group."""


### BEGIN SOLUTION gemm_tensor_cores.w4a16
@triton.jit
def _w4a16(
    x_ptr, packed_ptr, scales_ptr, out_ptr, m, n, k,
    M: tl.constexpr, N: tl.constexpr, G: tl.constexpr,
):
    rows = tl.program_id(1) * M + tl.arange(0, M)
    columns = tl.program_id(0) * N + tl.arange(0, N)
    acc = tl.zeros((M, N), dtype=tl.float32)
    for group in tl.range(0, k // G):
        half = group * (G // 2) + tl.arange(0, G // 2)
        both = tl.load(packed_ptr + half[:, None] * n + columns[None, :], mask=(columns < n)[None, :], other=0)
        low = (both & 0xF).to(tl.int8) - 8
        high = (both >> 4).to(tl.int8) - 8
        # [G / 2, N, 2] -> [G / 2, 2, N] -> [G, N]
        w = tl.join(low, high).trans(0, 2, 1).reshape(G, N)
        scale = tl.load(scales_ptr + group * n + columns, mask=columns < n, other=0.0)
        depth = group * G + tl.arange(0, G)
        x = tl.load(x_ptr + rows[:, None] * k + depth[None, :], mask=(rows < m)[:, None], other=0.0)
        acc += tl.dot(x, w.to(tl.float16)) * scale.to(tl.float32)[None, :]
    inside = (rows < m)[:, None] & (columns < n)[None, :]
    tl.store(out_ptr + rows[:, None] * n + columns[None, :], acc, mask=inside)


def w4a16(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor, out: torch.Tensor) -> None:
    m, k = x.shape
    n = out.shape[1]
    _w4a16[(triton.cdiv(n, 64), triton.cdiv(m, 16))](x, packed, scales, out, m, n, k, M=16, N=64, G=64)


### END SOLUTION
