"""Weights are scaled and rounded to float16 before the product, as in Marlin; shifts by a tensor."""


### BEGIN SOLUTION gemm_tensor_cores.w4a16
@triton.jit
def _kernel(x_ptr, q_ptr, s_ptr, o_ptr, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    rm = tl.program_id(0) * BM + tl.arange(0, BM)
    rn = tl.program_id(1) * BN + tl.arange(0, BN)
    acc = tl.zeros((BM, BN), tl.float32)
    for k0 in range(0, k, BK):
        rk = k0 + tl.arange(0, BK)
        q = tl.load(q_ptr + (rk // 2)[:, None] * n + rn[None, :], mask=rn[None, :] < n, other=0)
        codes = (q.to(tl.int32) >> ((rk % 2) * 4)[:, None]) & 15
        s = tl.load(s_ptr + (k0 // 64) * n + rn, mask=rn < n, other=0.0).to(tl.float32)
        w = ((codes - 8).to(tl.float32) * s[None, :]).to(tl.float16)
        x = tl.load(x_ptr + rm[:, None] * k + rk[None, :], mask=rm[:, None] < m, other=0.0)
        acc = tl.dot(x, w, acc=acc)
    tl.store(o_ptr + rm[:, None] * n + rn[None, :], acc, mask=(rm[:, None] < m) & (rn[None, :] < n))


def w4a16(x: torch.Tensor, packed: torch.Tensor, scales: torch.Tensor, out: torch.Tensor) -> None:
    (m, k), n = x.shape, packed.shape[1]
    grid = (triton.cdiv(m, 16), triton.cdiv(n, 64))
    _kernel[grid](x, packed, scales, out, m, n, k, BM=16, BN=64, BK=64)


### END SOLUTION
