"""Tiles in Morton order (interleaved bits) within squares of 4 × 4, autotuned over one and more configurations."""


### BEGIN SOLUTION gemm_tensor_cores.triton_matmul
@triton.autotune(
    configs=[
        triton.Config({"M": 64, "N": 64, "K": 32}, num_warps=4, num_stages=3),
        triton.Config({"M": 64, "N": 64, "K": 64}, num_warps=8, num_stages=2),
    ],
    key=["m", "n", "k"],
)
@triton.jit
def _matmul(
    a_ptr, b_ptr, c_ptr, m, n, k, M: tl.constexpr, N: tl.constexpr, K: tl.constexpr
):
    pid = tl.program_id(0)
    across = tl.cdiv(tl.cdiv(n, N), 4)
    square, at = pid // 16, pid % 16
    i = (square // across) * 4 + ((at >> 1) & 1) + ((at >> 3) & 1) * 2
    j = (square % across) * 4 + (at & 1) + ((at >> 2) & 1) * 2
    rows, columns = i * M + tl.arange(0, M), j * N + tl.arange(0, N)
    if i * M < m and j * N < n:
        acc = tl.zeros([M, N], dtype=tl.float32)
        for start in range(0, k, K):
            d = start + tl.arange(0, K)
            a = tl.load(
                a_ptr + rows[:, None] * k + d[None, :],
                mask=(rows[:, None] < m) & (d[None, :] < k), other=0.0,
            )
            b = tl.load(
                b_ptr + d[:, None] * n + columns[None, :],
                mask=(d[:, None] < k) & (columns[None, :] < n), other=0.0,
            )
            acc += tl.dot(a, b)
        tl.store(
            c_ptr + rows[:, None] * n + columns[None, :], acc,
            mask=(rows[:, None] < m) & (columns[None, :] < n),
        )


def triton_matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    (m, k), n = a.shape, b.shape[1]

    def grid(meta):
        tiles = triton.cdiv(m, meta["M"]), triton.cdiv(n, meta["N"])
        return (triton.cdiv(tiles[0], 4) * triton.cdiv(tiles[1], 4) * 16,)

    _matmul[grid](a, b, c, m, n, k)


### END SOLUTION
