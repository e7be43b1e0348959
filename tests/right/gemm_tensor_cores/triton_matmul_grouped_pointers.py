"""The tutorial's groups, pointers that move along k, tl.dot with acc, a helper for the tile's coordinates."""


### BEGIN SOLUTION gemm_tensor_cores.triton_matmul
import triton.language as L


@triton.jit
def _tile(pid, tiles_m, tiles_n, GROUP: L.constexpr):
    in_group = GROUP * tiles_n
    first = (pid // in_group) * GROUP
    size = min(tiles_m - first, GROUP)
    return first + (pid % in_group) % size, (pid % in_group) // size


@triton.jit
def _product(a, b, c, M, N, K, BM: L.constexpr, BN: L.constexpr, BK: L.constexpr):
    im, jn = _tile(L.program_id(axis=0), L.cdiv(M, BM), L.cdiv(N, BN), 4)
    rm = (im * BM + L.arange(0, BM)) % M
    rn = (jn * BN + L.arange(0, BN)) % N
    rk = L.arange(0, BK)
    pa = a + (rm[:, None] * K + rk[None, :])
    pb = b + (rk[:, None] * N + rn[None, :])
    acc = L.zeros((BM, BN), L.float32)
    left = K
    while left > 0:
        acc = L.dot(
            L.load(pa, mask=rk[None, :] < left, other=0.0),
            L.load(pb, mask=rk[:, None] < left, other=0.0),
            acc,
            input_precision="ieee",
        )
        pa += BK
        pb += BK * N
        left -= BK
    om, on = im * BM + L.arange(0, BM), jn * BN + L.arange(0, BN)
    L.store(c + om[:, None] * N + on[None, :], acc, mask=(om < M)[:, None] & (on < N)[None, :])


def triton_matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    M, K, N = *a.shape, b.shape[-1]
    programs = -(-M // 64) * -(-N // 64)
    _product[programs,](a, b, c, M, N, K, 64, 64, BK=32, num_stages=4)


### END SOLUTION
