"""Persistent programs for short rows; in long ones tl.reduce of (maximum, sum) pairs."""


### BEGIN SOLUTION fused_softmax.triton_forward kernels
@triton.jit
def softmax_kernel(output_ptr, input_ptr, input_row_stride, output_row_stride, n_rows, n_cols,
                   BLOCK_SIZE: tl.constexpr, num_stages: tl.constexpr):
    # persistent: a program goes through rows with a step
    row_start = tl.program_id(0)
    row_step = tl.num_programs(0)
    for row_idx in tl.range(row_start, n_rows, row_step, num_stages=num_stages):
        col_offsets = tl.arange(0, BLOCK_SIZE)
        input_ptrs = input_ptr + row_idx * input_row_stride + col_offsets
        mask = col_offsets < n_cols
        row = tl.load(input_ptrs, mask=mask, other=-float("inf")).to(tl.float32)
        row_max = tl.max(row, axis=0)
        row_minus_max = row - tl.where(row_max == -float("inf"), 0.0, row_max)
        numerator = tl.exp2(row_minus_max * 1.4426950408889634)
        denominator = tl.sum(numerator, axis=0)
        softmax_output = numerator / tl.maximum(denominator, 1e-30)
        tl.store(output_ptr + row_idx * output_row_stride + col_offsets, softmax_output, mask=mask)


@triton.jit
def _combine(m1, s1, m2, s2):
    m = tl.maximum(m1, m2)
    ref = tl.where(m == -float("inf"), 0.0, m)
    return m, s1 * tl.exp(m1 - ref) + s2 * tl.exp(m2 - ref)


@triton.jit
def long_rows(output_ptr, input_ptr, input_row_stride, output_row_stride, n_cols, BLOCK_SIZE: tl.constexpr):
    """tl.reduce with a pair: maximum and sum together."""
    row = tl.program_id(0)
    x_row = input_ptr + row * input_row_stride
    m = -float("inf")
    s = 0.0
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        bm, bs = tl.reduce((x, tl.where(x == -float("inf"), 0.0, 1.0)), 0, _combine)
        m, s = _combine(m, s, bm, bs)
    ref = tl.where(m == -float("inf"), 0.0, m)
    for start in range(0, n_cols, BLOCK_SIZE):
        cols = start + tl.arange(0, BLOCK_SIZE)
        x = tl.load(x_row + cols, mask=cols < n_cols, other=-float("inf")).to(tl.float32)
        tl.store(output_ptr + row * output_row_stride + cols, tl.exp(x - ref) / tl.maximum(s, 1e-30), mask=cols < n_cols)


### END SOLUTION

### BEGIN SOLUTION fused_softmax.triton_forward launch
def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    n_rows, n_cols = x.shape
    if n_cols > MAX_BLOCK:
        long_rows[(n_rows,)](out, x, x.stride(0), out.stride(0), n_cols, BLOCK_SIZE=4096, num_warps=8)
        return
    BLOCK_SIZE = triton.next_power_of_2(n_cols)
    num_programs = min(n_rows, 132 * 4)
    softmax_kernel[(num_programs, 1, 1)](out, x, x.stride(0), out.stride(0), n_rows, n_cols,
                                         BLOCK_SIZE=BLOCK_SIZE, num_stages=2, num_warps=8)


### END SOLUTION
