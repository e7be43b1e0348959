"""Reads the mask with the row stride of x.

fails: triton_masked.correct
"""

# ruff: noqa: F821

import torch
import triton


### BEGIN SOLUTION fused_softmax.triton_masked launch
def masked_softmax(x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor) -> None:
    """Write softmax(scale · x) over each row's kept elements to `out`, 0 where not kept.

    x, out: [rows, columns], columns contiguous. mask: same shape, bool or uint8, true means keep.
    """
    n_rows, n_cols = x.shape
    block = min(triton.next_power_of_2(n_cols), MAX_BLOCK)
    kernel = _masked_short_row if n_cols <= block else _masked_long_row
    kernel[(n_rows,)](
        x,
        mask.view(torch.uint8),
        out,
        x.stride(0),
        x.stride(0),
        out.stride(0),
        n_cols,
        scale,
        BLOCK=block,
        num_warps=_warps(block),
    )


### END SOLUTION
