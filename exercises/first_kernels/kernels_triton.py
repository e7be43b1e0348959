"""Three kernels in OpenAI Triton: a map, a reduction and a matrix product.

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

### TASK first_kernels.axpy
@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    pass  # one program, BLOCK elements


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    """Write a · x + y to `out`; all three [count], contiguous, float32 or float16."""
    raise NotImplementedError("first_kernels.axpy")


### TASK first_kernels.row_sums
@triton.jit
def _row_sums(x_ptr, out_ptr, x_row_stride, columns, BLOCK: tl.constexpr):
    pass  # one program, one row


def row_sums(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the sum of each row of x, [rows, columns], to out, [rows], float32."""
    raise NotImplementedError("first_kernels.row_sums")


### TASK first_kernels.matmul
@triton.jit
def _matmul(
    a_ptr, b_ptr, c_ptr, m, n, k, a_stride, b_stride, c_stride,
    M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
):
    pass  # one program, a tile of M × N elements of c


def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Write a @ b to `c`; a: [m, k], b: [k, n], float16; c: [m, n], float32."""
    raise NotImplementedError("first_kernels.matmul")
