"""Part s takes the steps s, s + SPLIT and so on; a one-dimensional sum with static_range."""


### BEGIN SOLUTION gemm_tensor_cores.split_k
# Partial sums by tile, then the sum by torch? No: a second kernel, one program a row.
@triton.jit
def _splitk(a_ptr, b_ptr, parts_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, SPLIT: tl.constexpr):
    """Interleaved split: part s takes the steps s, s + SPLIT, …, as CUTLASS's and the tutorial's split-k."""
    pid = tl.program_id(0)
    s = tl.program_id(1)
    tn = tl.cdiv(N, BN)
    rm = (pid // tn) * BM + tl.arange(0, BM)
    rn = (pid % tn) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(s * BK, K, BK * SPLIT):
        rk = k0 + tl.arange(0, BK)
        a = tl.load(a_ptr + rm[:, None] * K + rk[None, :], mask=(rm[:, None] < M) & (rk[None, :] < K), other=0.0)
        b = tl.load(b_ptr + rk[:, None] * N + rn[None, :], mask=(rk[:, None] < K) & (rn[None, :] < N), other=0.0)
        acc = tl.dot(a, b, acc)
    tl.store(parts_ptr + (s * M + rm[:, None]) * N + rn[None, :], acc, mask=(rm[:, None] < M) & (rn[None, :] < N))


@triton.jit
def _gather(parts_ptr, c_ptr, count, SPLIT: tl.constexpr, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    total = tl.zeros((BLOCK,), tl.float32)
    for s in tl.static_range(SPLIT):
        total += tl.load(parts_ptr + s * count + i, mask=i < count, other=0.0)
    tl.store(c_ptr + i, total, mask=i < count)


def split_k(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    (M, K), N = a.shape, b.shape[1]
    tiles = triton.cdiv(M, 64) * triton.cdiv(N, 64)
    SPLIT = 1
    while tiles * SPLIT < 32 and SPLIT * 64 < K:
        SPLIT *= 2
    parts = a.new_empty((SPLIT, M, N), dtype=torch.float32)
    _splitk[(tiles, SPLIT)](a, b, parts, M, N, K, BM=64, BN=64, BK=64, SPLIT=SPLIT)
    _gather[(triton.cdiv(M * N, 1024),)](parts, c, M * N, SPLIT=SPLIT, BLOCK=1024)


### END SOLUTION
