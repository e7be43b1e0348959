"""When k small batches give the gradient of one large batch, and when they do not."""

from __future__ import annotations

import torch
from torch import nn
from torch.nn import functional


def gradient(
    net: nn.Module, pieces: list[tuple[torch.Tensor, torch.Tensor, float]]
) -> torch.Tensor:
    """The first weight's gradient after one backward for each (x, y, weight of its loss)."""
    net.zero_grad()
    for x, y, weight in pieces:
        (functional.cross_entropy(net(x), y) * weight).backward()
    grad = next(net.parameters()).grad
    assert grad is not None
    return grad.clone()


def main() -> None:
    """Compare gradients of 96 samples with those of pieces."""
    torch.manual_seed(0)
    x, y = torch.randn(96, 16), torch.randint(0, 4, (96,))
    plain = nn.Sequential(nn.Linear(16, 32), nn.ReLU(), nn.Linear(32, 4)).double()
    normed = nn.Sequential(
        nn.Linear(16, 32), nn.BatchNorm1d(32), nn.ReLU(), nn.Linear(32, 4)
    ).double()
    x = x.double()

    def off(net: nn.Module, sizes: list[int], weights: list[float]) -> float:
        whole = gradient(net, [(x, y, 1.0)])
        parts = zip(x.split(sizes), y.split(sizes), weights, strict=True)
        return ((gradient(net, list(parts)) - whole).norm() / whole.norm()).item()

    even = off(plain, [32, 32, 32], [1 / 3] * 3)
    undivided = off(plain, [32, 32, 32], [1.0] * 3)
    uneven = off(plain, [44, 44, 8], [1 / 3] * 3)
    weighted = off(plain, [44, 44, 8], [44 / 96, 44 / 96, 8 / 96])
    norm = off(normed, [32, 32, 32], [1 / 3] * 3)
    print(f"three of 32, each loss divided by 3: off by {even:.0e}")
    print(f"not divided: off by {undivided:.2f}, that is 3 times too large")
    print(f"44, 44 and 8, divided by 3: off by {uneven:.2f}; by their share: {weighted:.0e}")
    print(f"with batch norm: off by {norm:.2f}: each piece is normalized by itself")
    assert even < 1e-12
    assert weighted < 1e-12
    assert abs(undivided - 2) < 1e-9
    assert uneven > 0.01
    assert norm > 0.01
    # A tiny batch has the launches of a large one. Costs are supposed.
    for pieces in (1, 3, 12):
        host, device = pieces * 10.0, 36.0
        print(
            f"{pieces:2} pieces: host {host:.0f} ms of launches, device {device:.0f} ms of work: "
            f"a step of {max(host, device):.0f} ms"
        )


if __name__ == "__main__":
    main()
