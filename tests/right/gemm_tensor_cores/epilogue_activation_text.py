"""The activation is chosen by a text, erf from triton.language.math, constants by math, the row of the bias broadcast."""


### BEGIN SOLUTION gemm_tensor_cores.epilogue
import math

from triton.language.math import erf

INVERSE_ROOT = tl.constexpr(1.0 / math.sqrt(2.0))


@triton.jit
def _activate(v, ACTIVATION: tl.constexpr):
    if ACTIVATION == "gelu":
        v = 0.5 * v * (1.0 + erf(v * INVERSE_ROOT))
    elif ACTIVATION == "relu":
        v = tl.maximum(v, 0.0)
    return v


@triton.jit
def _fused(
    x_ptr, w_ptr, bias_ptr, residual_ptr, out_ptr, m, n, k,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, ACTIVATION: tl.constexpr = "",
):
    pid = tl.program_id(0)
    rows = pid // tl.cdiv(n, N) * M + tl.arange(0, M)
    columns = pid % tl.cdiv(n, N) * N + tl.arange(0, N)
    bias = tl.load(bias_ptr + columns, mask=columns < n, other=0.0).to(tl.float32)
    acc = tl.zeros((M, N), tl.float32) + bias[None, :]
    for first in tl.range(0, k, K):
        d = first + tl.arange(0, K)
        x = tl.load(
            x_ptr + rows[:, None] * k + d[None, :], mask=(rows[:, None] < m) & (d[None, :] < k), other=0.0
        )
        w = tl.load(
            w_ptr + d[:, None] * n + columns[None, :], mask=(d[:, None] < k) & (columns[None, :] < n), other=0.0
        )
        acc = tl.dot(x, w, acc)
    inside = (rows[:, None] < m) & (columns[None, :] < n)
    place = rows[:, None] * n + columns[None, :]
    residual = tl.load(residual_ptr + place, mask=inside, other=0.0, eviction_policy="evict_first")
    y = _activate(acc, ACTIVATION) + residual.to(tl.float32)
    tl.store(out_ptr + place, y.to(tl.float16), mask=inside)


def epilogue(
    x: torch.Tensor, w: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor, out: torch.Tensor
) -> None:
    (m, k), n = x.shape, w.shape[1]
    grid = lambda meta: (triton.cdiv(m, meta["M"]) * triton.cdiv(n, meta["N"]),)
    _fused[grid](x, w, bias, residual, out, m, n, k, M=64, N=64, K=32, ACTIVATION="gelu")


### END SOLUTION
