"""Where exp overflows in float32 and float16, and what subtracting the maximum changes."""

from __future__ import annotations

import torch


def naive(x: torch.Tensor) -> torch.Tensor:
    """Softmax without the maximum."""
    weights = torch.exp(x)
    return weights / weights.sum(-1, keepdim=True)


def stable(x: torch.Tensor) -> torch.Tensor:
    """Softmax with the maximum subtracted."""
    return naive(x - x.amax(-1, keepdim=True))


def main() -> None:
    """Print the largest finite exponential's argument, and both softmaxes of large numbers."""
    for dtype in (torch.float32, torch.float16, torch.bfloat16):
        limit = torch.log(torch.tensor(torch.finfo(dtype).max, dtype=torch.float64)).item()
        below, above = (torch.tensor(v, dtype=torch.float32) for v in (limit - 0.1, limit + 0.1))
        assert torch.isfinite(torch.exp(below).to(dtype))
        assert torch.isinf(torch.exp(above).to(dtype))
        print(f"{dtype}: exp overflows above x = {limit:.2f}")

    x = torch.tensor([1000.0, 1001.0, 1002.0])
    wanted = torch.softmax(x.double(), -1)
    print("naive", naive(x).tolist(), "stable", [round(v, 4) for v in stable(x).tolist()])
    assert torch.isnan(naive(x)).all()
    assert torch.allclose(stable(x).double(), wanted, atol=1e-6)

    row = torch.full((3,), -torch.inf)
    print("a row of -inf only:", stable(row).tolist())
    assert torch.isnan(stable(row)).all()


if __name__ == "__main__":
    main()
