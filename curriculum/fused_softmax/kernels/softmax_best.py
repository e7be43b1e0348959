"""Softmax for rows of 1 to millions of elements, in OpenAI Triton. Read it after your own attempt.

The same decisions as in softmax_best.cu, and what Triton decides by itself:

- A row of up to 32768 elements is one program's block, 32 elements a thread: it stays in registers,
  is read once and written once.
- A longer row belongs to several programs and is read twice. Each program of the first kernel
  writes maximum and sum of one block; each of the second merges those of its row and writes one
  block. Neither has a loop, so that all loads of a program are under way at once. Rows are taken in
  groups that fit into half of the L2 cache, where the second kernel finds them.

Loads are 16 bytes wide only where Triton can prove it: where the tensors begin on 16 bytes and
their columns and strides are multiples of 16. softmax_best.cu loads the edges of other rows apart;
in Triton's language there is no such thing as an edge.

`TRITON_INTERPRET=1 python softmax_best.py` compares with PyTorch without a GPU.
"""

# ruff: noqa: N803 - constants of the compiler are written in capitals

from __future__ import annotations

from dataclasses import dataclass

import torch
import triton
import triton.language as tl

MOST_KEPT = 32768
"""Elements of a row that one program holds: 32 in each of 1024 threads."""

PART = 8192
"""Elements of a long row that one program has to do with."""

PER_WARP = 1024
"""Elements of a block for each of its warps: 32 a thread."""


@triton.jit
def kept_rows(x_ptr, out_ptr, x_row_stride, out_row_stride, n_cols, BLOCK: tl.constexpr):
    """One program, one row that stays in registers."""
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, BLOCK)
    inside = columns < n_cols
    x = tl.load(
        x_ptr + row * x_row_stride + columns,
        mask=inside,
        other=-float("inf"),
        eviction_policy="evict_first",
    ).to(tl.float32)
    maximum = tl.max(x, axis=0)
    shift = tl.where(maximum == -float("inf"), 0.0, maximum)
    weights = tl.exp(x - shift)
    total = tl.sum(weights, axis=0)
    # One division a row, and a product an element.
    scale = tl.where(total == 0.0, 0.0, 1.0 / tl.where(total == 0.0, 1.0, total))
    tl.store(
        out_ptr + row * out_row_stride + columns,
        weights * scale,
        mask=inside,
        cache_modifier=".cs",
    )


@triton.jit
def partial_rows(
    x_ptr, maxima_ptr, sums_ptr, x_row_stride, n_cols, n_parts, first_row, BLOCK: tl.constexpr
):
    """Maximum and sum of one part of one row."""
    row = tl.program_id(0).to(tl.int64) + first_row
    part = tl.program_id(1)
    columns = part * BLOCK + tl.arange(0, BLOCK)
    x = tl.load(
        x_ptr + row * x_row_stride + columns,
        mask=columns < n_cols,
        other=-float("inf"),
        eviction_policy="evict_last",
    ).to(tl.float32)
    maximum = tl.max(x, axis=0)
    shift = tl.where(maximum == -float("inf"), 0.0, maximum)
    at = tl.program_id(0) * n_parts + part
    tl.store(maxima_ptr + at, maximum)
    tl.store(sums_ptr + at, tl.sum(tl.exp(x - shift), axis=0))


@triton.jit
def finish_rows(
    x_ptr,
    out_ptr,
    maxima_ptr,
    sums_ptr,
    x_row_stride,
    out_row_stride,
    n_cols,
    n_parts,
    first_row,
    BLOCK: tl.constexpr,
    PARTS: tl.constexpr,
):
    """Merge what is known of the parts of a row, and write one of them."""
    row = tl.program_id(0).to(tl.int64) + first_row
    columns = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = columns < n_cols
    # Asked for before the partial results, so that it is under way meanwhile.
    x = tl.load(
        x_ptr + row * x_row_stride + columns,
        mask=inside,
        other=-float("inf"),
        eviction_policy="evict_first",
    ).to(tl.float32)
    parts = tl.arange(0, PARTS)
    known = parts < n_parts
    at = tl.program_id(0) * n_parts + parts
    maxima = tl.load(maxima_ptr + at, mask=known, other=-float("inf"))
    sums = tl.load(sums_ptr + at, mask=known, other=0.0)
    maximum = tl.max(maxima, axis=0)
    shift = tl.where(maximum == -float("inf"), 0.0, maximum)
    total = tl.sum(sums * tl.exp(maxima - shift), axis=0)
    scale = tl.where(total == 0.0, 0.0, 1.0 / tl.where(total == 0.0, 1.0, total))
    tl.store(
        out_ptr + row * out_row_stride + columns,
        tl.exp(x - shift) * scale,
        mask=inside,
        cache_modifier=".cs",
    )


@dataclass(frozen=True)
class Shape:
    """How rows of one length are divided.

    block: elements of a program. parts: programs a row. warps: of a program.
    """

    block: int
    parts: int
    warps: int


def shape_of(columns: int) -> Shape:
    """For rows of `columns` elements."""
    block = triton.next_power_of_2(columns) if columns <= MOST_KEPT else PART
    return Shape(block, triton.cdiv(columns, block), max(1, block // PER_WARP))


def softmax(x: torch.Tensor, out: torch.Tensor) -> None:
    """Write the softmax of each row of `x` to `out`; zeros for a row without a finite element.

    x, out: [rows, columns], float32 or bfloat16; columns contiguous, rows at any stride.
    """
    rows, columns = x.shape
    if x.numel() == 0:
        return
    shape = shape_of(columns)
    if shape.parts == 1:
        kept_rows[(rows,)](
            x,
            out,
            x.stride(0),
            out.stride(0),
            columns,
            BLOCK=shape.block,
            num_warps=shape.warps,
        )
        return
    group = min(rows, max(1, _half_of_the_cache(x.device) // (columns * x.element_size())))
    partials = torch.empty((2, group, shape.parts), dtype=torch.float32, device=x.device)
    for first in range(0, rows, group):
        grid = (min(group, rows - first), shape.parts)
        partial_rows[grid](
            x,
            partials[0],
            partials[1],
            x.stride(0),
            columns,
            shape.parts,
            first,
            BLOCK=shape.block,
            num_warps=shape.warps,
        )
        finish_rows[grid](
            x,
            out,
            partials[0],
            partials[1],
            x.stride(0),
            out.stride(0),
            columns,
            shape.parts,
            first,
            BLOCK=shape.block,
            PARTS=triton.next_power_of_2(shape.parts),
            num_warps=shape.warps,
        )


def _half_of_the_cache(device: torch.device) -> int:
    """Bytes; the results pass through the other half."""
    if device.type != "cuda":
        return 1 << 20
    return torch.cuda.get_device_properties(device).L2_cache_size // 2


def _demonstrate() -> None:
    device = "cuda" if torch.cuda.is_available() else "cpu"
    for dtype, within in ((torch.float32, 1e-5), (torch.bfloat16, 2.0**-7)):
        for rows, columns in ((1, 1), (5, 77), (3, 1024), (2, 9001), (9, 40001), (1, 262144)):
            x = (9 * torch.randn(rows, columns + 3, device=device)).to(dtype)[:, :columns]
            x[0, : columns // 2] = -torch.inf
            x[rows // 2 + 1 :: 2] = -torch.inf
            out = torch.empty((rows, columns), dtype=dtype, device=device)
            softmax(x, out)
            want = torch.softmax(x.double(), -1).nan_to_num(0.0)
            torch.testing.assert_close(out.double(), want, rtol=within, atol=1e-37)
            print(f"{dtype}, {rows} x {columns}: right")


if __name__ == "__main__":
    _demonstrate()
