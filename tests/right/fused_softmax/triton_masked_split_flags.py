"""A helper for the scores, keyword-only constexprs, `and` of conditions, tl.static_range over halves of a block."""


### BEGIN SOLUTION fused_softmax.triton_masked kernels
@triton.jit
def _scores(x_ptr, keep_ptr, c, n_cols, scale):
    """Scaled and masked; −inf behind the row."""
    inside = c < n_cols
    x = tl.load(x_ptr + c, mask=inside, other=0.0).to(tl.float32)
    keep = tl.load(keep_ptr + c, mask=inside, other=0) != 0
    return tl.where(inside & keep, x * scale, float("-inf"))


@triton.jit
def _masked_row(
    x_ptr, keep_ptr, out_ptr, x_row_stride, keep_row_stride, out_row_stride, n_cols, scale,
    *, BLOCK: tl.constexpr, PARTS: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    x_ptr, keep_ptr = x_ptr + row * x_row_stride, keep_ptr + row * keep_row_stride
    out_ptr += row * out_row_stride
    lanes = tl.arange(0, BLOCK)
    if PARTS == 1 and n_cols <= BLOCK:
        s = _scores(x_ptr, keep_ptr, lanes, n_cols, scale)
        m = tl.max(s, 0)
        e = tl.exp(s - (0.0 if m == float("-inf") else m))
        d = tl.sum(e, 0)
        d = 1.0 if d == 0.0 else d
        tl.store(out_ptr + lanes, tl.fdiv(e, d), mask=lanes < n_cols)
    else:
        m = -float("inf")
        d = 0.0
        for start in range(0, n_cols, BLOCK * PARTS):
            for part in tl.static_range(PARTS):
                s = _scores(x_ptr, keep_ptr, start + part * BLOCK + lanes, n_cols, scale)
                new = max(m, tl.max(s, 0))
                ref = tl.where(new == float("-inf"), 0.0, new)
                d = d * tl.exp(m - ref) + tl.sum(tl.exp(s - ref), 0)
                m = new
        ref = tl.where(m == float("-inf"), 0.0, m)
        d = tl.where(d == 0.0, 1.0, d)
        for start in range(0, n_cols, BLOCK):
            c = start + lanes
            s = _scores(x_ptr, keep_ptr, c, n_cols, scale)
            tl.store(out_ptr + c, tl.exp(s - ref) / d, mask=c < n_cols)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.triton_masked launch
def masked_softmax(x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor) -> None:
    rows, columns = x.shape
    block = min(triton.next_power_of_2(columns), MAX_BLOCK)
    parts = 1 if columns <= block else 2
    strides = x.stride(0), mask.stride(0), out.stride(0)
    _masked_row[(rows, 1, 1)](x, mask, out, *strides, columns, scale, BLOCK=block, PARTS=parts)


### END SOLUTION
