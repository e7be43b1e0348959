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

### BEGIN SOLUTION first_kernels.axpy
### STUB @triton.jit
### STUB def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
### STUB     pass  # one program, BLOCK elements
### STUB
### STUB
### STUB def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
### STUB     """Write a · x + y to `out`; all three [count], contiguous, float32 or float16."""
### STUB     raise NotImplementedError("first_kernels.axpy")
BLOCK = 1024


@triton.jit
def _axpy(a, x_ptr, y_ptr, out_ptr, count, BLOCK: tl.constexpr):
    elements = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = elements < count
    x = tl.load(x_ptr + elements, mask=inside).to(tl.float32)
    y = tl.load(y_ptr + elements, mask=inside).to(tl.float32)
    tl.store(out_ptr + elements, a * x + y, mask=inside)


def axpy(a: float, x: torch.Tensor, y: torch.Tensor, out: torch.Tensor) -> None:
    """Write a · x + y to `out`; all three [count], contiguous, float32 or float16."""
    count = x.numel()
    _axpy[(triton.cdiv(count, BLOCK),)](a, x, y, out, count, BLOCK=BLOCK)


### END SOLUTION


### BEGIN SOLUTION first_kernels.row_sums
### STUB @triton.jit
### STUB def _row_sums(x_ptr, out_ptr, x_row_stride, columns, BLOCK: tl.constexpr):
### STUB     pass  # one program, one row
### STUB
### STUB
### STUB def row_sums(x: torch.Tensor, out: torch.Tensor) -> None:
### STUB     """Write the sum of each row of x, [rows, columns], to out, [rows], float32."""
### STUB     raise NotImplementedError("first_kernels.row_sums")
COLUMNS = 2048
"""Of a row that a program holds at once."""


@triton.jit
def _row_sums(x_ptr, out_ptr, x_row_stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    # One partial sum per lane; they are added up once, after the loop.
    partial = tl.zeros((BLOCK,), tl.float32)
    for first in range(0, columns, BLOCK):
        places = first + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + row * x_row_stride + places, mask=places < columns, other=0.0)
        partial += x.to(tl.float32)
    tl.store(out_ptr + row, tl.sum(partial, axis=0))


def row_sums(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the sum of each row of x, [rows, columns], to out, [rows], float32."""
    rows, columns = x.shape
    block = min(triton.next_power_of_2(columns), COLUMNS)
    _row_sums[(rows,)](x, out, x.stride(0), columns, BLOCK=block)


### END SOLUTION


### BEGIN SOLUTION first_kernels.matmul
### STUB @triton.jit
### STUB def _matmul(
### STUB     a_ptr, b_ptr, c_ptr, m, n, k, a_stride, b_stride, c_stride,
### STUB     M: tl.constexpr, N: tl.constexpr, K: tl.constexpr,
### STUB ):
### STUB     pass  # one program, a tile of M × N elements of c
### STUB
### STUB
### STUB def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
### STUB     """Write a @ b to `c`; a: [m, k], b: [k, n], float16; c: [m, n], float32."""
### STUB     raise NotImplementedError("first_kernels.matmul")
TILE, DEPTH = 64, 32
"""A program computes TILE × TILE elements of c, from DEPTH columns of a and rows of b at a time."""


@triton.jit
def _matmul(
    a_ptr,
    b_ptr,
    c_ptr,
    m,
    n,
    k,
    a_stride,
    b_stride,
    c_stride,
    M: tl.constexpr,
    N: tl.constexpr,
    K: tl.constexpr,
):
    rows = tl.program_id(0) * M + tl.arange(0, M)
    columns = tl.program_id(1) * N + tl.arange(0, N)
    depth = tl.arange(0, K)
    total = tl.zeros((M, N), tl.float32)
    for first in range(0, k, K):
        # Behind the edge of k both tiles are 0, which adds nothing.
        inside = first + depth < k
        a = tl.load(
            a_ptr + rows[:, None] * a_stride + (first + depth)[None, :],
            mask=(rows < m)[:, None] & inside[None, :],
            other=0.0,
        )
        b = tl.load(
            b_ptr + (first + depth)[:, None] * b_stride + columns[None, :],
            mask=inside[:, None] & (columns < n)[None, :],
            other=0.0,
        )
        total += tl.dot(a, b)
    tl.store(
        c_ptr + rows[:, None] * c_stride + columns[None, :],
        total,
        mask=(rows < m)[:, None] & (columns < n)[None, :],
    )


def matmul(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> None:
    """Write a @ b to `c`; a: [m, k], b: [k, n], float16; c: [m, n], float32."""
    m, k = a.shape
    n = b.shape[1]
    grid = (triton.cdiv(m, TILE), triton.cdiv(n, TILE))
    _matmul[grid](a, b, c, m, n, k, a.stride(0), b.stride(0), c.stride(0), M=TILE, N=TILE, K=DEPTH)


### END SOLUTION
