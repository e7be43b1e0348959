"""A fixed number of persistent programs, as in Triton's tutorial: each takes every so-many-th tile."""


### BEGIN SOLUTION mixture_of_experts.grouped_gemm
PROGRAMS = 128


@triton.jit
def _persistent(
    x_ptr, w_ptr, cuts_ptr, out_ptr, experts, n, k, STEP: tl.constexpr,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):
    tile = tl.program_id(0)
    last = 0
    for e in range(experts):
        begin = tl.load(cuts_ptr + e)
        stop = tl.load(cuts_ptr + e + 1)
        down = tl.cdiv(stop - begin, M)
        count = down * tl.cdiv(n, N)
        while tile >= last and tile < last + count:
            local = tile - last
            # Columns of four tiles below one another.
            strip = 4 * tl.cdiv(n, N)
            first = local // strip * 4
            height = tl.minimum(down - first, 4)
            r = begin + (first + local % strip % height) * M + tl.arange(0, M)
            c = local % strip // height * N + tl.arange(0, N)
            acc = tl.zeros([M, N], dtype=tl.float32)
            for at in range(0, k, K):
                d = at + tl.arange(0, K)
                xs = tl.load(
                    x_ptr + r[:, None] * k + d[None, :],
                    mask=(r[:, None] < stop) & (d[None, :] < k), other=0.0,
                )
                ws = tl.load(
                    w_ptr + e * k * n + d[:, None] * n + c[None, :],
                    mask=(d[:, None] < k) & (c[None, :] < n), other=0.0,
                )
                acc += tl.dot(xs, ws)
            ok = (r[:, None] < stop) & (c[None, :] < n)
            tl.store(out_ptr + r[:, None] * n + c[None, :], acc, mask=ok)
            tile += STEP
        last += count


def grouped_gemm(x, w, offsets, out):
    experts, k, n = w.shape
    _persistent[(PROGRAMS,)](
        x, w, offsets, out, experts, n, k, STEP=PROGRAMS, M=64, N=64, K=32
    )


### END SOLUTION
