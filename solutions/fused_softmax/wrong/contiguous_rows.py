"""Takes it that rows lie side by side: uses the number of columns as row stride.

fails: triton_forward.correct
"""

# ruff: noqa: F821

import torch
import triton


### BEGIN SOLUTION fused_softmax.triton_forward launch
def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the softmax of each row of `x` to `out`; both [rows, columns], columns contiguous."""
    n_rows, n_cols = x.shape
    block = min(triton.next_power_of_2(n_cols), MAX_BLOCK)
    kernel = _softmax_short_row if n_cols <= block else _softmax_long_row
    kernel[(n_rows,)](x, out, n_cols, n_cols, n_cols, BLOCK=block, num_warps=_warps(block))


### END SOLUTION
