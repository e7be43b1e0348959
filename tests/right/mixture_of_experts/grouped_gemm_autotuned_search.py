"""The expert by a vector comparison of all offsets, tiles of 128 columns, autotuned over two configurations."""


### BEGIN SOLUTION mixture_of_experts.grouped_gemm
@triton.autotune(
    configs=[
        triton.Config({"N": 64, "K": 32}, num_warps=4, num_stages=3),
        triton.Config({"N": 128, "K": 32}, num_warps=8, num_stages=3),
    ],
    key=["n", "k"],
)
@triton.jit
def _searched(
    x_ptr, w_ptr, offsets_ptr, out_ptr, experts, n, k,
    M: tl.constexpr, E: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):
    lanes = tl.arange(0, E)
    low = tl.load(offsets_ptr + lanes, mask=lanes < experts, other=0)
    size = tl.load(offsets_ptr + lanes + 1, mask=lanes < experts, other=0) - low
    tiles = tl.where(lanes < experts, (size + M - 1) // M, 0) * tl.cdiv(n, N)
    ends = tl.cumsum(tiles, axis=0)
    pid = tl.program_id(0)
    here = (pid < ends) & (pid >= ends - tiles)
    if tl.sum(here.to(tl.int32)) > 0:
        expert = tl.sum(tl.where(here, lanes, 0)).to(tl.int64)
        start = tl.sum(tl.where(here, low, 0))
        rows_left = tl.sum(tl.where(here, size, 0))
        local = pid - tl.sum(tl.where(here, ends - tiles, 0))
        down = tl.cdiv(rows_left, M)
        strip = local // (2 * down)  # two columns of tiles at a time
        width = tl.minimum(tl.cdiv(n, N) - 2 * strip, 2)
        inner = local % (2 * down)
        r = inner // width * M + tl.arange(0, M)
        c = (2 * strip + inner % width) * N + tl.arange(0, N)
        acc = tl.zeros((M, N), tl.float32)
        for first in range(0, k, K):
            d = first + tl.arange(0, K)
            a = tl.load(
                x_ptr + (start + r)[:, None] * k + d[None, :],
                mask=(r < rows_left)[:, None] & (d < k)[None, :], other=0.0,
            )
            b = tl.load(
                w_ptr + expert * k * n + d[:, None] * n + c[None, :],
                mask=(d < k)[:, None] & (c < n)[None, :], other=0.0,
            )
            acc += tl.dot(a, b)
        tl.store(
            out_ptr + (start + r)[:, None] * n + c[None, :], acc,
            mask=(r < rows_left)[:, None] & (c < n)[None, :],
        )


def grouped_gemm(x, w, offsets, out):
    rows, (experts, k, n) = len(x), w.shape

    def grid(meta):
        return ((triton.cdiv(rows, 128) + min(experts, rows)) * triton.cdiv(n, meta["N"]),)

    _searched[grid](
        x, w, offsets, out, experts, n, k, M=128, E=triton.next_power_of_2(experts)
    )


### END SOLUTION
