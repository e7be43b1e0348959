"""What torch.compile fuses between the products, and two ways to a variance of which one fails."""

from __future__ import annotations

import re

import torch
from torch._inductor.utils import run_and_get_code
from torch.nn import functional


# --8<-- [start:block]
def between(
    x: torch.Tensor,
    bias: torch.Tensor,
    residual: torch.Tensor,
    weight: torch.Tensor,
    shift: torch.Tensor,
) -> tuple[torch.Tensor, torch.Tensor]:
    """Bias, residual, norm and gelu; the sum goes on as the next residual."""
    total = x + bias + residual
    normed = functional.layer_norm(total, total.shape[-1:], weight, shift)
    return functional.gelu(normed), total
    # --8<-- [end:block]


def kernels(*arguments: torch.Tensor) -> list[str]:
    """Names of the loops that Inductor has written."""
    torch._dynamo.reset()
    _, (code,) = run_and_get_code(torch.compile(between), *arguments)
    return re.findall(r"^\s+(cpp_fused_\w+)\(", code, re.MULTILINE)


# --8<-- [start:variance]
def two_sums(x: torch.Tensor) -> torch.Tensor:
    """E[x²] − E[x]², one pass."""
    return (x * x).mean() - x.mean() ** 2


def welford(x: torch.Tensor) -> torch.Tensor:
    """One pass, too: mean and squares around it, corrected block by block."""
    mean, squares, count = x.new_zeros(()), x.new_zeros(()), 0
    for part in x.split(64):
        apart = part.mean() - mean
        both = count + len(part)
        squares = squares + ((part - part.mean()) ** 2).sum()
        squares = squares + apart**2 * count * len(part) / both
        mean = mean + apart * len(part) / both
        count = both
    return squares / count
    # --8<-- [end:variance]


def main() -> None:
    """Print kernels, bytes and variances."""
    torch.manual_seed(1)
    rows, width = 256, 1024
    x, residual = torch.randn(rows, width), torch.randn(rows, width)
    bias, weight, shift = (torch.randn(width) for _ in range(3))
    found = kernels(x, bias, residual, weight, shift)
    print(f"{len(found)} kernel: {', '.join(found)}")
    assert len(found) == 1
    tensor = rows * width * 4
    # eager: two additions read two and write one each, norm and gelu read and write one
    eager, fused = (2 + 3 + 2 + 2) * tensor, 4 * tensor
    print(f"eager moves {eager / tensor:.0f} tensors; fused moves at least {fused // tensor}")
    far = 1e4 + torch.randn(4096)
    exact = float(far.double().var(unbiased=False))
    one, other = float(two_sums(far)), float(welford(far))
    print(
        f"variance {exact:.3f} around 10,000 in float32: E[x²] − E[x]² {one:.1f}, "
        f"block by block {other:.3f}"
    )
    assert abs(one - exact) > 1
    assert abs(other / exact - 1) < 1e-3


if __name__ == "__main__":
    main()
