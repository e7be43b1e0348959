"""Bytes for each parameter while training, counted on real tensors."""

from __future__ import annotations

import torch
from torch import nn


def counted(dtype: torch.dtype, optimizer: str, master: bool) -> dict[str, float]:
    """Bytes a parameter after one step; `master`: the optimizer works on float32 copies."""
    net = nn.Linear(256, 256, bias=False).to(dtype)
    net(torch.randn(4, 256, dtype=dtype)).float().sum().backward()
    weight = net.weight
    target = weight
    if master:
        target = nn.Parameter(weight.detach().float())
        assert weight.grad is not None
        target.grad = weight.grad.float()
    step = {
        "AdamW": torch.optim.AdamW([target], lr=1e-3),
        "SGD": torch.optim.SGD([target], lr=1e-3, momentum=0.9),
    }[optimizer]
    step.step()
    assert weight.grad is not None
    state = sum(
        v.nbytes for v in step.state[target].values() if torch.is_tensor(v) and v.numel() > 1
    )
    n = weight.numel()
    return {
        "weights": weight.nbytes / n,
        "gradients": weight.grad.nbytes / n,
        "float32 copy": target.nbytes / n if master else 0.0,
        "optimizer": state / n,
    }


def main() -> None:
    """Four set-ups."""
    for name, dtype, optimizer, master, expected in (
        ("float32, AdamW", torch.float32, "AdamW", False, 16),
        ("bfloat16 with float32 copy, AdamW", torch.bfloat16, "AdamW", True, 16),
        ("all bfloat16, AdamW", torch.bfloat16, "AdamW", False, 8),
        ("float32, SGD with momentum", torch.float32, "SGD", False, 12),
    ):
        parts = counted(dtype, optimizer, master)
        total = sum(parts.values())
        shown = ", ".join(f"{k} {v:.0f}" for k, v in parts.items() if v)
        print(f"{name:34} {total:.0f} bytes a parameter: {shown}")
        assert total == expected
    print(f"7 billion parameters at 16 bytes: {7e9 * 16 / 1e9:.0f} GB, before any activation")


if __name__ == "__main__":
    main()
