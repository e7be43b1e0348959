"""Masks with −10000 instead of −inf: a row that is masked out altogether becomes uniform.

fails: triton_masked.correct
"""

import triton
import triton.language as tl


### BEGIN SOLUTION fused_softmax.triton_masked kernels
@triton.jit
def _masked_short_row(
    x_ptr,
    keep_ptr,
    out_ptr,
    x_row_stride,
    keep_row_stride,
    out_row_stride,
    n_cols,
    scale,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    keep = tl.load(keep_ptr + row * keep_row_stride + columns, mask=inside, other=0)
    # Scale first, mask second: a negative scale would turn −inf into +inf, and 0 into NaN.
    scores = tl.where(keep != 0, x * scale, -1.0e4)
    maximum = tl.max(scores, axis=0)
    shift = tl.where(maximum == -float("inf"), 0.0, maximum)
    weights = tl.exp(scores - shift)
    total = tl.sum(weights, axis=0)
    total = tl.where(total == 0.0, 1.0, total)
    tl.store(out_ptr + row * out_row_stride + columns, weights / total, mask=inside)


@triton.jit
def _masked_long_row(
    x_ptr,
    keep_ptr,
    out_ptr,
    x_row_stride,
    keep_row_stride,
    out_row_stride,
    n_cols,
    scale,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    x_row = x_ptr + row * x_row_stride
    keep_row = keep_ptr + row * keep_row_stride
    out_row = out_ptr + row * out_row_stride
    columns = tl.arange(0, BLOCK)
    maximum = -float("inf")
    total = 0.0
    shift = 0.0
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(x_row + start + columns, mask=inside, other=0.0).to(tl.float32)
        keep = tl.load(keep_row + start + columns, mask=inside, other=0)
        scores = tl.where(keep != 0, x * scale, -1.0e4)
        new_maximum = tl.maximum(maximum, tl.max(scores, axis=0))
        shift = tl.where(new_maximum == -float("inf"), 0.0, new_maximum)
        total = total * tl.exp(maximum - shift) + tl.sum(tl.exp(scores - shift), axis=0)
        maximum = new_maximum
    total = tl.where(total == 0.0, 1.0, total)
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(x_row + start + columns, mask=inside, other=0.0).to(tl.float32)
        keep = tl.load(keep_row + start + columns, mask=inside, other=0)
        scores = tl.where(keep != 0, x * scale, -1.0e4)
        tl.store(out_row + start + columns, tl.exp(scores - shift) / total, mask=inside)


### END SOLUTION
