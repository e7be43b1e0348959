"""Several short rows a program, as a tile; long rows are split over programs with scratch statistics."""


### BEGIN SOLUTION fused_softmax.triton_forward kernels
@triton.jit
def _rows(x_ptr, out_ptr, xs, os, n_rows, n_cols, R: tl.constexpr, C: tl.constexpr):
    r = tl.program_id(0).to(tl.int64) * R + tl.arange(0, R)
    c = tl.arange(0, C)
    mask = (r[:, None] < n_rows) & (c[None, :] < n_cols)
    x = tl.load(x_ptr + r[:, None] * xs + c[None, :], mask=mask, other=float("-inf"))
    x = x.to(tl.float32)
    top = x.max(axis=1, keep_dims=True)
    top = tl.where(top == float("-inf"), 0.0, top)
    e = (x - top).exp()
    total = e.sum(axis=1, keep_dims=True)
    total = tl.where(total > 0, total, 1.0)
    tl.store(out_ptr + r[:, None] * os + c[None, :], e / total, mask=mask)


@triton.jit
def _statistics(x_ptr, m_ptr, s_ptr, xs, n_cols, parts, C: tl.constexpr):
    row, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    c = part * C + tl.arange(0, C)
    x = tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=float("-inf")).to(tl.float32)
    m = tl.max(x)
    s = tl.sum(tl.exp(x - tl.where(m == float("-inf"), 0.0, m)))
    tl.store(m_ptr + row * parts + part, m)
    tl.store(s_ptr + row * parts + part, s)


@triton.jit
def _write(x_ptr, m_ptr, s_ptr, out_ptr, xs, os, n_cols, parts, C: tl.constexpr, P: tl.constexpr):
    row, part = tl.program_id(0).to(tl.int64), tl.program_id(1)
    p = tl.arange(0, P)
    ms = tl.load(m_ptr + row * parts + p, mask=p < parts, other=float("-inf"))
    ss = tl.load(s_ptr + row * parts + p, mask=p < parts, other=0.0)
    m = tl.max(ms)
    ref = tl.where(m == float("-inf"), 0.0, m)
    total = tl.sum(ss * tl.exp(ms - ref))
    c = part * C + tl.arange(0, C)
    x = tl.load(x_ptr + row * xs + c, mask=c < n_cols, other=float("-inf")).to(tl.float32)
    y = tl.exp(x - ref) * (1.0 / tl.where(total == 0.0, 1.0, total))
    tl.store(out_ptr + row * os + c, y.to(out_ptr.dtype.element_ty), mask=c < n_cols)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.triton_forward launch
def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    n_rows, n_cols = x.shape
    if n_cols <= MAX_BLOCK:
        columns = triton.next_power_of_2(n_cols)
        rows = max(1, 4096 // columns)
        _rows[(triton.cdiv(n_rows, rows),)](
            x, out, x.stride(0), out.stride(0), n_rows, n_cols, R=rows, C=columns
        )
        return
    size = 8192
    parts = triton.cdiv(n_cols, size)
    maxima = torch.empty((n_rows, parts), dtype=torch.float32, device=x.device)
    sums = torch.empty_like(maxima)
    _statistics[(n_rows, parts)](x, maxima, sums, x.stride(0), n_cols, parts, C=size, num_warps=8)
    _write[(n_rows, parts)](
        x, maxima, sums, out, x.stride(0), out.stride(0), n_cols, parts,
        C=size, P=triton.next_power_of_2(parts), num_warps=8,
    )


### END SOLUTION
