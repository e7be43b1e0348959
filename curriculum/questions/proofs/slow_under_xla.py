"""Lazy tensors: when a graph is compiled again, when it is cut, and what stays outside of it.

PyTorch has the core of such a device itself, with a back end that runs anywhere.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch._lazy
import torch._lazy.metrics as metrics
import torch._lazy.ts_backend


def counted(step: Callable[[int], torch.Tensor | None], steps: int = 6) -> dict[str, int]:
    """Graphs compiled and found in the cache, and operations that left the device."""
    metrics.reset()
    for i in range(steps):
        kept = step(i)
        torch._lazy.mark_step()
        del kept
    torch._lazy.wait_device_ops()
    there = {name: metrics.counter_value(name) for name in metrics.counter_names()}
    return {
        "compiled": there.get("UncachedCompile", 0),
        "found in the cache": there.get("CachedCompile", 0),
        "left the device": sum(n for name, n in there.items() if name.startswith("aten::")),
    }


def main() -> None:
    """Six steps of each kind, and the counters of each."""
    torch._lazy.ts_backend.init()
    device = torch.device("lazy")
    w = torch.randn(8, 8).to(device)
    torch._lazy.mark_step()

    def steady(_: int) -> torch.Tensor:
        return torch.relu(torch.randn(4, 8).to(device) @ w).sum()

    def lengths(i: int) -> torch.Tensor:
        return torch.relu(torch.randn(10 + i, 8).to(device) @ w).sum()

    def read(_: int) -> torch.Tensor:
        loss = torch.relu(torch.randn(5, 8).to(device) @ w).sum()
        return loss * 2 if loss.item() > -1 else loss

    def dropped(_: int) -> None:
        torch.relu(torch.randn(6, 8).to(device) @ w).sum()

    def number(i: int) -> torch.Tensor:
        return torch.relu(torch.randn(7, 8).to(device) @ w).sum() * (i + 0.5)

    def odd(_: int) -> torch.Tensor:
        return torch.relu(torch.randn(3, 8).to(device) @ w).logcumsumexp(0).sum()

    for name, step, expected in (
        ("steady", steady, (1, 5, 0)),
        ("six lengths", lengths, (6, 0, 0)),
        ("a value read", read, (2, 10, 6)),
        ("result dropped", dropped, (0, 0, 0)),
        ("a Python number", number, (1, 5, 0)),
        ("no lowering", odd, (2, 10, 6)),
    ):
        found = counted(step)
        print(f"{name:15}", ", ".join(f"{what} {n}" for what, n in found.items()))
        assert list(found.values()) == list(expected)


if __name__ == "__main__":
    main()
