"""What a wrong value behind the end of a row does to its maximum, and what 0 does to its sum."""

from __future__ import annotations

import os

os.environ["TRITON_INTERPRET"] = "1"

import torch
import triton
import triton.language as tl


@triton.jit
def _reduce(x_ptr, out_ptr, columns, OTHER: tl.constexpr, BLOCK: tl.constexpr):  # noqa: N803
    places = tl.arange(0, BLOCK)
    x = tl.load(x_ptr + places, mask=places < columns, other=OTHER)
    tl.store(out_ptr, tl.max(x, axis=0))
    tl.store(out_ptr + 1, tl.sum(x, axis=0))


def reduced(x: torch.Tensor, other: float) -> list[float]:
    """Maximum and sum of a vector in a block of eight."""
    out = torch.empty(2)
    _reduce[(1,)](x, out, x.numel(), OTHER=other, BLOCK=8)
    return out.tolist()


def main() -> None:
    """Print both for a row of negative numbers."""
    x = torch.tensor([-3.0, -1.0, -2.0, -4.0, -5.0])
    for other in (0.0, float("-inf")):
        maximum, total = reduced(x, other)
        print(f"other={other:g}: maximum {maximum:g}, sum {total:g}")
    assert reduced(x, 0.0) == [0.0, -15.0]
    assert reduced(x, float("-inf"))[0] == -1.0


if __name__ == "__main__":
    main()
