"""Uses a kernel of the company's own, which gives the k largest values of each row in one pass."""

import torch
from torch import nn


@torch.library.custom_op("shop::largest", mutates_args=())
def largest(x: torch.Tensor, k: int) -> torch.Tensor:
    """As the kernel does it."""
    return x.sort(-1, descending=True).values[..., :k].contiguous()


@torch.library.custom_op("shop::shifted", mutates_args=())
def shifted(x: torch.Tensor) -> torch.Tensor:
    """Another one."""
    return x.roll(1, -1)


@shifted.register_fake
def _(x):
    return torch.empty_like(x)


class Best(nn.Module):
    """The best scores."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(16, 8)

    def forward(self, x):
        """x: float32 [n, 16]."""
        scores = torch.ops.shop.shifted(self.out(x))
        best = torch.ops.shop.largest(scores, 3)
        if x.shape[1] > 8:
            best = best.softmax(-1)
        return best


n = torch.export.Dim("n", min=2, max=64)
torch.export.export(Best(), (torch.randn(12, 16),), dynamic_shapes=({0: n},))
