"""How many operations one optimizer step is, for the 161 parameter tensors of a ResNet-50."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.utils._python_dispatch import TorchDispatchMode

CONVOLUTIONS = 1 + 3 * (3 + 4 + 6 + 3) + 4  # stem, three a block, one shortcut a stage
TENSORS = CONVOLUTIONS + 2 * CONVOLUTIONS + 2  # a weight; batch norm's two; the classifier's two
HOST_ONLY = {"_local_scalar_dense", "lift_fresh"}  # Adam's step counters, which live on the host


class Operations(TorchDispatchMode):
    """Counts operations on parameters."""

    def __init__(self) -> None:
        super().__init__()
        self.count = 0

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Count one operation."""
        name = func.__name__.split(".")[0]
        self.count += func.namespace == "aten" and name not in HOST_ONLY
        return func(*args, **(kwargs or {}))


def operations(make: Callable[..., torch.optim.Optimizer], **options: Any) -> int:
    """Of the second step: the first one makes the state."""
    parameters = [nn.Parameter(torch.ones(4)) for _ in range(TENSORS)]
    optimizer = make(parameters, lr=0.1, weight_decay=1e-4, **options)
    for parameter in parameters:
        parameter.grad = torch.ones(4)
    optimizer.step()
    with Operations() as seen:
        optimizer.step()
    return seen.count


def main() -> None:
    """SGD with momentum and AdamW, each in three implementations."""
    assert TENSORS == 161
    for make, options in ((torch.optim.SGD, {"momentum": 0.9}), (torch.optim.AdamW, {})):
        counts = [
            operations(make, **options, **way)
            for way in ({"foreach": False}, {"foreach": True}, {"fused": True})
        ]
        print(f"{make.__name__:6} one by one {counts[0]}, foreach {counts[1]}, fused {counts[2]}")
        assert counts[0] >= 4 * TENSORS
        assert counts[2] <= 2 < counts[1] < 15


if __name__ == "__main__":
    main()
