"""A loop that ends when the data say so, in one Triton kernel: task 10.

Edit this file beside the notebook. On a machine without a GPU the kernels run in Triton's
interpreter (TRITON_INTERPRET=1).

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.
"""

import torch
import triton
import triton.language as tl


def eager(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the sparsemax of each row of `x` to `out`, float32 [rows, columns], step by step.

    max(x − τ, 0), with the τ of each row at which that adds up to 1 (Martins and Astudillo, “From
    softmax to sparsemax”, 2016). τ is found by leaving out what lies below it until nothing is left
    out any more (Michelot, 1986): each step asks the device whether another one is needed.
    """
    x = x - x.amax(-1, keepdim=True)
    kept = x > -1.0
    while True:
        count = kept.sum(-1, keepdim=True)
        tau = (torch.where(kept, x, 0.0).sum(-1, keepdim=True) - 1.0) / count
        kept = x > tau
        if not (kept.sum(-1, keepdim=True) < count).any().item():
            break
    torch.clamp(x - tau, min=0.0, out=out)


### BEGIN SOLUTION control_flow_export.loop_in_kernel kernel
### STUB @triton.jit
### STUB def _sparsemax_row(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
### STUB     pass  # one program, one row: each has a loop of its own
@triton.jit
def _sparsemax_row(x_ptr, out_ptr, n_cols, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    x = tl.load(x_ptr + row * n_cols + columns, mask=inside, other=-float("inf"))
    # Now the maximum is 0, and τ between −1 and 0.
    x = x - tl.max(x, axis=0)
    tau = tl.full((), -1.0, tl.float32)
    left = tl.sum((x > tau).to(tl.int32), axis=0)
    before = left + 1
    # Every program looks at its own row: none waits for the row that takes longest.
    while left < before:
        before = left
        tau = (tl.sum(tl.where(x > tau, x, 0.0), axis=0) - 1.0) / left
        left = tl.sum((x > tau).to(tl.int32), axis=0)
    tl.store(out_ptr + row * n_cols + columns, tl.maximum(x - tau, 0.0), mask=inside)


### END SOLUTION


### BEGIN SOLUTION control_flow_export.loop_in_kernel launch
### STUB def sparsemax(x: torch.Tensor, out: torch.Tensor) -> None:
### STUB     raise NotImplementedError("control_flow_export.loop_in_kernel")
def sparsemax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the sparsemax of each row of `x` to `out`.

    Both float32 [rows, columns], contiguous, up to 8192 columns; every row has a finite element.
    """
    rows, columns = x.shape
    block = triton.next_power_of_2(columns)
    warps = min(16, max(1, block // 512))
    _sparsemax_row[(rows,)](x, out, columns, BLOCK=block, num_warps=warps)


### END SOLUTION
