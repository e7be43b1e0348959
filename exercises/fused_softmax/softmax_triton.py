"""Softmax over the rows of a matrix, in OpenAI Triton.

Edit this file beside the notebook and run the notebook's checks.

The kernels are taken out of this file and run alone, in a part of Triton's language: functions of
`tl`, `tl.math` and libdevice, methods of tensors, arithmetic, `for`, `while`, `if`, numbers, short
texts, constants of this file and its @triton.jit functions. Asserts and prints are left out. What
@triton.autotune and @triton.heuristics choose is taken from the launch. Block pointers, inline
assembly, lambdas, classes, `break` and what other files define are refused.

On a machine without a GPU the kernels run in Triton's interpreter (TRITON_INTERPRET=1).
"""

import torch
import triton
import triton.language as tl

MAX_BLOCK = 8192
"""Elements of a row that a program holds at once; a longer row is walked block by block."""


### TASK fused_softmax.triton_forward kernels
@triton.jit
def _softmax_row(
    x_ptr, out_ptr, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr
):
    pass  # one program, one row


### TASK fused_softmax.triton_forward launch
def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    raise NotImplementedError("fused_softmax.triton_forward")


### TASK fused_softmax.triton_masked kernels
@triton.jit
def _masked_row(
    x_ptr, keep_ptr, out_ptr, x_row_stride, keep_row_stride, out_row_stride, n_cols, scale,
    BLOCK: tl.constexpr,
):
    pass  # one program, one row


### TASK fused_softmax.triton_masked launch
def masked_softmax(
    x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor
) -> None:
    raise NotImplementedError("fused_softmax.triton_masked")


def _warps(block: int) -> int:
    """Warps of a program: about 8 elements a thread, at most 16 warps."""
    return min(16, max(1, block // 256))


def _demonstrate() -> None:
    """`python softmax_triton.py` compares with PyTorch on this machine."""
    device = "cuda" if torch.cuda.is_available() else "cpu"
    x = torch.randn(5, 1000, device=device)
    mask = torch.rand(5, 1000, device=device) < 0.8
    got = torch.empty_like(x)
    softmax(x, got)
    print("softmax: largest error", (got - torch.softmax(x, -1)).abs().max().item())
    masked_softmax(x, mask, 0.125, got)
    want = torch.softmax((0.125 * x).masked_fill(~mask, -torch.inf), -1)
    print("masked_softmax: largest error", (got - want).abs().max().item())


if __name__ == "__main__":
    _demonstrate()
