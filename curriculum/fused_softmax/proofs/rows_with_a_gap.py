"""x[:, :768] of a tensor with 1024 columns: where its rows begin, and what a copy of it costs.

A kernel sees a pointer and what it is handed. Both readings below address the same flat memory;
one takes the number of columns for the distance between rows.
"""

from __future__ import annotations

import torch

ROWS, COLUMNS, WIDTH = 4, 768, 1024


def rows_read(memory: torch.Tensor, rows: int, distance: int) -> torch.Tensor:
    """What a kernel reads that takes row i to begin at i * distance."""
    return torch.stack([memory[i * distance : i * distance + COLUMNS] for i in range(rows)])


def main() -> None:
    """Print which rows each reading gets right, and count bytes."""
    whole = torch.randn(ROWS, WIDTH, generator=torch.Generator().manual_seed(0))
    x = whole[:, :COLUMNS]
    print(f"shape {tuple(x.shape)}, strides {x.stride()}, contiguous: {x.is_contiguous()}")

    memory = whole.flatten()
    expected = x.softmax(1)
    assumed = rows_read(memory, ROWS, COLUMNS).softmax(1)
    handed = rows_read(memory, ROWS, x.stride(0)).softmax(1)
    right = [torch.equal(a, b) for a, b in zip(assumed, expected, strict=True)]
    print(f"row distance {COLUMNS}, the columns: rows right {right}")
    assert right == [True, False, False, False], "a test with one row would not find it"
    assert torch.equal(handed, expected)
    print(f"row distance {x.stride(0)}, stride(0): all rows right")

    size = x.element_size()
    kernel, copy = 2 * size, 2 * size
    print(f"bytes an element: {kernel} by the kernel, {kernel + copy} with x.contiguous() before")
    assert (kernel + copy) / kernel == 2

    out = torch.full((ROWS, WIDTH), -1.0)
    view = out[:, :COLUMNS]
    copied = view.contiguous()
    copied[:] = expected
    assert (out == -1).all(), "what was written to the copy of `out` is not in `out`"
    print("out.contiguous() is another tensor: what is written to it has to be copied back")

    last = 2**31 // WIDTH
    print(f"with {WIDTH} columns the offset of row {last:,} is the first beyond 32 bits")
    assert (last - 1) * WIDTH + WIDTH - 1 < 2**31 <= last * WIDTH


if __name__ == "__main__":
    main()
