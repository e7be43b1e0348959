# ruff: noqa: D103 - `route` stands here as the question shows it
"""A router whose load-balancing bias enters the weights, and one whose bias only chooses."""

from __future__ import annotations

from typing import Any

import torch


# fmt: off
def route(x, w_router, bias, k):
    scores = (x @ w_router).sigmoid() + bias
    weights, experts = scores.topk(k, dim=-1)
    return experts, weights / weights.sum(-1, keepdim=True)
# fmt: on


def fixed(x: Any, w_router: Any, bias: Any, k: int) -> tuple[Any, Any]:
    """Return the experts, chosen with the bias, and weights without it."""
    scores = (x @ w_router).sigmoid()
    experts = (scores + bias).topk(k, dim=-1).indices
    weights = scores.gather(-1, experts)
    return experts, weights / weights.sum(-1, keepdim=True)


def main() -> None:
    """Print how far weights move if the same number is added to every expert's bias."""
    torch.manual_seed(0)
    x, w_router, bias = torch.randn(200, 32), torch.randn(32, 16) / 6, torch.randn(16) / 10
    for name, router in (("with the bug", route), ("fixed", fixed)):
        experts, weights = router(x, w_router, bias, 4)
        same, moved = router(x, w_router, bias + 0.5, 4)
        assert torch.equal(experts, same)
        by = float((weights - moved).abs().max())
        print(f"{name:12s} the same experts, weights move by up to {by:.3f}")


if __name__ == "__main__":
    main()
