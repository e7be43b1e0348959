"""Fills the lanes behind the row's end with 0 instead of −inf: they enter maximum and sum.

fails: triton_forward.correct
"""

import triton
import triton.language as tl


### BEGIN SOLUTION fused_softmax.triton_forward kernels
@triton.jit
def _softmax_short_row(x_ptr, out_ptr, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr):
    # 64 bits: row × stride passes 2^31 in a tensor of 8 GiB.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0)
    x = x.to(tl.float32)
    maximum = tl.max(x, axis=0)
    # In a row of −inf only, −inf − (−inf) would be NaN. Subtract 0 there: every exponential is 0.
    shift = tl.where(maximum == -float("inf"), 0.0, maximum)
    weights = tl.exp(x - shift)
    total = tl.sum(weights, axis=0)
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + row * out_row_stride + columns, weights / total, mask=inside)


@triton.jit
def _softmax_long_row(x_ptr, out_ptr, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_row_stride
    out_row = out_ptr + row * out_row_stride
    columns = tl.arange(0, BLOCK)
    maximum = -float("inf")
    total = 0.0
    shift = 0.0
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(x_row + start + columns, mask=inside, other=0.0).to(tl.float32)
        new_maximum = tl.maximum(maximum, tl.max(x, axis=0))
        shift = tl.where(new_maximum == -float("inf"), 0.0, new_maximum)
        # What was summed so far used the old maximum: rescale it, then add this block.
        total = total * tl.exp(maximum - shift) + tl.sum(tl.exp(x - shift), axis=0)
        maximum = new_maximum
    total = tl.where(total == 0.0, 1.0, total)
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(x_row + start + columns, mask=inside, other=0.0).to(tl.float32)
        tl.store(out_row + start + columns, tl.exp(x - shift) / total, mask=inside)


### END SOLUTION
