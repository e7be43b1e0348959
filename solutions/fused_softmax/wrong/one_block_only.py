"""Makes one block as wide as the row, which Triton refuses above 1,048,576 elements.

fails: triton_forward.correct
"""

# ruff: noqa: F821

import torch
import triton


### BEGIN SOLUTION fused_softmax.triton_forward launch
def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the softmax of each row of `x` to `out`; both [rows, columns], columns contiguous."""
    n_rows, n_cols = x.shape
    block = triton.next_power_of_2(n_cols)
    _softmax_short_row[(n_rows,)](
        x, out, x.stride(0), out.stride(0), n_cols, BLOCK=block, num_warps=_warps(block)
    )


### END SOLUTION
