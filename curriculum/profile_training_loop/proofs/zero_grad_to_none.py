"""Gradients set to None and gradients set to 0: operations, memory, and what the optimizer does."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode


class Operations(TorchDispatchMode):
    """Counts operations of the library, the profiler's own marks left out."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count one operation."""
        self.count += func.namespace == "aten"
        return func(*args, **(kwargs or {}))


def parameters() -> list[nn.Parameter]:
    """Fifty of them, with gradients."""
    made = [nn.Parameter(torch.ones(1000)) for _ in range(50)]
    for parameter in made:
        parameter.grad = torch.ones(1000)
    return made


def main() -> None:
    """Clear gradients in both ways, then step with a head that took no part."""
    for to_none, foreach, wanted in ((True, False, 0), (False, False, 50), (False, True, 1)):
        given = parameters()
        optimizer = torch.optim.SGD(given, lr=0.1, foreach=foreach)
        with Operations() as seen:
            optimizer.zero_grad(set_to_none=to_none)
        held = sum(p.grad.nbytes for p in given if p.grad is not None)
        print(
            f"set_to_none={to_none!s:5} foreach={foreach!s:5}: {seen.count} operations, "
            f"{held:,} bytes of gradients held through the next forward pass"
        )
        assert seen.count == wanted
        assert held == (0 if to_none else 50 * 4000)

    for to_none in (True, False):
        used, unused = nn.Parameter(torch.ones(1)), nn.Parameter(torch.ones(1))
        optimizer = torch.optim.SGD([used, unused], lr=0.1, momentum=0.9)
        (used + unused).sum().backward()
        optimizer.step()
        before = unused.item()
        optimizer.zero_grad(set_to_none=to_none)
        used.sum().backward()  # the other head has no batch today
        optimizer.step()
        moved = before - unused.item()
        print(f"set_to_none={to_none!s:5}: a parameter left out of the step moves by {moved:.3f}")
        assert (moved == 0) is to_none, "a gradient of 0 still has momentum; None is skipped"


if __name__ == "__main__":
    main()
