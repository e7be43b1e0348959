"""Launch-bound: the update takes the 3×3 filters one after the other, nine numbers at a time.

How it shows: the range `update` is long and full: over a thousand calls a step of `aten::mul_` and
four times as many of `aten::add_`, each shorter than a microsecond, and as much time between them
in which Python asks for the next one. Not the arithmetic costs the time but asking, checking and
dispatching; on a GPU the launch of a kernel comes on top, and the GPU idles between them. The
healthy loop does the same arithmetic in one call of `aten::_fused_sgd_`.
"""

from __future__ import annotations

import torch
from training_loop import MOMENTUM, RATE, WEIGHT_DECAY, Loop, sgd


class LaunchBound(Loop):
    """The same SGD by hand, a filter at a time."""

    steps = 4

    def __init__(self, rank: int) -> None:
        super().__init__(rank)
        self.filters = [p for p in self.model.parameters() if p.shape[2:] == (3, 3)]
        self.optimizer = sgd(p for p in self.model.parameters() if p.shape[2:] != (3, 3))
        self.momentum = torch.tensor(MOMENTUM)
        self.slopes = [torch.zeros_like(p) for p in self.filters]
        velocities = [torch.zeros_like(p) for p in self.filters]
        rows = (one_by_one(tensors) for tensors in (self.filters, self.slopes, velocities))
        self.rows = list(zip(*rows, strict=True))

    @torch.no_grad()
    def update(self) -> None:
        """The optimizer's step, and one for each filter."""
        self.optimizer.step()
        for filters, slopes in zip(self.filters, self.slopes, strict=True):
            assert filters.grad is not None
            slopes.copy_(filters.grad)
            filters.grad = None
        for weight, slope, velocity in self.rows:
            slope.add_(weight, alpha=WEIGHT_DECAY)
            velocity.mul_(self.momentum).add_(slope)
            slope.add_(velocity, alpha=MOMENTUM)
            weight.add_(slope, alpha=-RATE)


def one_by_one(tensors: list[torch.Tensor]) -> list[torch.Tensor]:
    """A view of [3, 3] of each filter in [out, in, 3, 3]."""
    return [row for tensor in tensors for row in tensor.detach().flatten(0, 1).unbind()]
