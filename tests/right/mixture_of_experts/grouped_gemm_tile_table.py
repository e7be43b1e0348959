"""Two launches: one program writes a table of tiles, as MegaBlocks and vLLM do, and the second reads it."""


### BEGIN SOLUTION mixture_of_experts.grouped_gemm
@triton.jit
def _table(offsets_ptr, table_ptr, experts, most, M: tl.constexpr, E: tl.constexpr):
    e = tl.arange(0, E)
    low = tl.load(offsets_ptr + e, mask=e < experts, other=0)
    high = tl.load(offsets_ptr + e + 1, mask=e < experts, other=0)
    tiles = (high - low + M - 1) // M
    ends = tl.cumsum(tiles, 0)
    for number in range(most):
        # How many experts end at or before this tile is the number of its expert.
        expert = tl.sum(((ends <= number) & (e < experts)).to(tl.int32))
        before = tl.sum(tl.where(e == expert - 1, ends, 0))
        start = tl.sum(tl.where(e == expert, low, 0)) + (number - before) * M
        tl.store(table_ptr + 2 * number, expert)
        tl.store(table_ptr + 2 * number + 1, start)


@triton.jit
def _tile(
    x_ptr, w_ptr, offsets_ptr, table_ptr, out_ptr, experts, most, n, k,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr, G: tl.constexpr,
):
    pid = tl.program_id(0)
    across = tl.cdiv(n, N)
    group, inner = pid // (G * across), pid % (G * across)
    height = tl.minimum(most - group * G, G)
    number, column = group * G + inner % height, inner // height
    expert = tl.load(table_ptr + 2 * number)
    if expert < experts:
        r = tl.load(table_ptr + 2 * number + 1) + tl.arange(0, M)
        ok = r < tl.load(offsets_ptr + expert + 1)
        c = column * N + tl.arange(0, N)
        acc = tl.zeros((M, N), tl.float32)
        for first in range(0, k, K):
            d = first + tl.arange(0, K)
            a = tl.load(x_ptr + r[:, None] * k + d, mask=ok[:, None] & (d < k)[None, :], other=0.0)
            b = tl.load(
                w_ptr + (expert * k + d)[:, None] * n + c,
                mask=(d < k)[:, None] & (c < n)[None, :], other=0.0,
            )
            acc = tl.dot(a, b, acc)
        tl.store(out_ptr + r[:, None] * n + c, acc, mask=ok[:, None] & (c < n)[None, :])


def grouped_gemm(
    x: torch.Tensor, w: torch.Tensor, offsets: torch.Tensor, out: torch.Tensor
) -> None:
    (rows, k), (experts, _, n) = x.shape, w.shape
    most = triton.cdiv(rows, 64) + experts
    table = torch.empty(most, 2, dtype=torch.int32, device=x.device)
    lanes = triton.next_power_of_2(experts)
    _table[(1,)](offsets, table, experts, most, M=64, E=lanes)
    _tile[(most * triton.cdiv(n, 64),)](
        x, w, offsets, table, out, experts, most, n, k, M=64, N=64, K=32, G=4
    )


### END SOLUTION
