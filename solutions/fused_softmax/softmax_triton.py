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


### BEGIN SOLUTION fused_softmax.triton_forward kernels
### STUB @triton.jit
### STUB def _softmax_row(
### STUB     x_ptr, out_ptr, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr
### STUB ):
### STUB     pass  # one program, one row
@triton.jit
def _softmax_short_row(x_ptr, out_ptr, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr):
    # 64 bits: row × stride passes 2^31 in a tensor of 8 GiB.
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    # −inf in the lanes behind the row's end: they never are the maximum, and add exp(−inf) = 0.
    x = tl.load(x_ptr + row * x_row_stride + columns, mask=inside, other=-float("inf"))
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
        x = tl.load(x_row + start + columns, mask=inside, other=-float("inf")).to(tl.float32)
        new_maximum = tl.maximum(maximum, tl.max(x, axis=0))
        shift = tl.where(new_maximum == -float("inf"), 0.0, new_maximum)
        # What was summed so far used the old maximum: rescale it, then add this block.
        total = total * tl.exp(maximum - shift) + tl.sum(tl.exp(x - shift), axis=0)
        maximum = new_maximum
    total = tl.where(total == 0.0, 1.0, total)
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(x_row + start + columns, mask=inside, other=-float("inf")).to(tl.float32)
        tl.store(out_row + start + columns, tl.exp(x - shift) / total, mask=inside)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.triton_forward launch
### STUB def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
### STUB     raise NotImplementedError("fused_softmax.triton_forward")
def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the softmax of each row of `x` to `out`; both [rows, columns], columns contiguous."""
    n_rows, n_cols = x.shape
    block = min(triton.next_power_of_2(n_cols), MAX_BLOCK)
    kernel = _softmax_short_row if n_cols <= block else _softmax_long_row
    kernel[(n_rows,)](
        x, out, x.stride(0), out.stride(0), n_cols, BLOCK=block, num_warps=_warps(block)
    )


### END SOLUTION


### BEGIN SOLUTION fused_softmax.triton_masked kernels
### STUB @triton.jit
### STUB def _masked_row(
### STUB     x_ptr, keep_ptr, out_ptr, x_row_stride, keep_row_stride, out_row_stride, n_cols, scale,
### STUB     BLOCK: tl.constexpr,
### STUB ):
### STUB     pass  # one program, one row
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
    scores = tl.where(keep != 0, x * scale, -float("inf"))
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
        scores = tl.where(keep != 0, x * scale, -float("inf"))
        new_maximum = tl.maximum(maximum, tl.max(scores, axis=0))
        shift = tl.where(new_maximum == -float("inf"), 0.0, new_maximum)
        total = total * tl.exp(maximum - shift) + tl.sum(tl.exp(scores - shift), axis=0)
        maximum = new_maximum
    total = tl.where(total == 0.0, 1.0, total)
    for start in range(0, n_cols, BLOCK):
        inside = start + columns < n_cols
        x = tl.load(x_row + start + columns, mask=inside, other=0.0).to(tl.float32)
        keep = tl.load(keep_row + start + columns, mask=inside, other=0)
        scores = tl.where(keep != 0, x * scale, -float("inf"))
        tl.store(out_row + start + columns, tl.exp(scores - shift) / total, mask=inside)


### END SOLUTION


### BEGIN SOLUTION fused_softmax.triton_masked launch
### STUB def masked_softmax(
### STUB     x: torch.Tensor, mask: torch.Tensor, scale: float, out: torch.Tensor
### STUB ) -> None:
### STUB     raise NotImplementedError("fused_softmax.triton_masked")
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
        mask.stride(0),
        out.stride(0),
        n_cols,
        scale,
        BLOCK=block,
        num_warps=_warps(block),
    )


### END SOLUTION


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
