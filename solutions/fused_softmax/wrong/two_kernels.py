"""Writes the masked scores to a temporary tensor with one kernel, and reads them with another.

fails: triton_masked.traffic
"""

# ruff: noqa: F821

import torch
import triton
import triton.language as tl


### BEGIN SOLUTION fused_softmax.triton_masked kernels
@triton.jit
def _scores(
    x_ptr,
    keep_ptr,
    scores_ptr,
    x_row_stride,
    keep_row_stride,
    scores_row_stride,
    n_cols,
    scale,
    BLOCK: tl.constexpr,
):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_cols
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=0.0).to(tl.float32)
    keep = tl.load(keep_ptr + row * keep_row_stride + columns, mask=inside, other=0)
    scores = tl.where(keep != 0, x * scale, -float("inf"))
    tl.store(scores_ptr + row * scores_row_stride + columns, scores, mask=inside)


@triton.jit
def _normalize(scores_ptr, out_ptr, scores_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    scores_row = scores_ptr + row * scores_row_stride
    out_row = out_ptr + row * out_row_stride
    columns = tl.arange(0, BLOCK)
    maximum = -float("inf")
    total = 0.0
    shift = 0.0
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(scores_row + start + columns, mask=inside, other=-float("inf"))
        new_maximum = tl.maximum(maximum, tl.max(x, axis=0))
        shift = tl.where(new_maximum == -float("inf"), 0.0, new_maximum)
        total = total * tl.exp(maximum - shift) + tl.sum(tl.exp(x - shift), axis=0)
        maximum = new_maximum
    total = tl.where(total == 0.0, 1.0, total)
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(scores_row + start + columns, mask=inside, other=-float("inf"))
        tl.store(out_row + start + columns, tl.exp(x - shift) / total, mask=inside)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.triton_masked launch
def masked_softmax(x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor) -> None:
    n_rows, n_cols = x.shape
    block = min(triton.next_power_of_2(n_cols), MAX_BLOCK)
    scores = torch.empty(n_rows, n_cols, dtype=torch.float32, device=x.device)
    _scores[(n_rows, triton.cdiv(n_cols, block))](
        x,
        mask.view(torch.uint8),
        scores,
        x.stride(0),
        mask.stride(0),
        scores.stride(0),
        n_cols,
        scale,
        BLOCK=block,
    )
    _normalize[(n_rows,)](scores, out, scores.stride(0), out.stride(0), n_cols, BLOCK=block)


### END SOLUTION
