"""How a running sum of ones stops growing in bfloat16 and float16."""

from __future__ import annotations

import torch


def running_sum(count: int, dtype: torch.dtype) -> float:
    """Add 1 to a number of `dtype`, `count` times."""
    total = torch.zeros((), dtype=dtype)
    one = torch.ones((), dtype=dtype)
    for _ in range(count):
        total += one
    return total.item()


def main() -> None:
    """Print the sums of 5000 ones, and what the exponentials of a long row do to float16."""
    for dtype, wanted in (
        (torch.bfloat16, 256.0),
        (torch.float16, 2048.0),
        (torch.float32, 5000.0),
    ):
        total = running_sum(5000, dtype)
        print(f"5000 ones one by one in {dtype}: {total:g}")
        assert total == wanted

    weights = torch.ones(100_000, dtype=torch.float16)
    kept = weights.sum().item()
    as_float32 = weights.sum(dtype=torch.float32).item()
    print(f"100000 ones: {kept} stored in float16, {as_float32:g} in float32")
    assert kept == float("inf")
    assert as_float32 == 100_000.0

    torch.manual_seed(0)
    a, b = torch.rand(4096).bfloat16(), torch.rand(4096).bfloat16()
    inside = a.sum() + b.sum()
    exact = a.double().sum() + b.double().sum()
    print(f"two bfloat16 sums added in bfloat16: off by {((inside - exact) / exact).item():.1e}")


if __name__ == "__main__":
    main()
