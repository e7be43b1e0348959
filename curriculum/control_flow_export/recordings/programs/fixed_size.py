"""Groups the tokens of a message by fours before it mixes them."""

import torch
from torch import nn


class Grouped(nn.Module):
    """Tokens in groups."""

    def __init__(self):
        super().__init__()
        self.mix = nn.Linear(4, 4)
        self.out = nn.Linear(16, 8)

    def forward(self, x):
        """x: float32 [n, length, 16]."""
        centered = x - x.mean(1, keepdim=True)
        groups = centered.transpose(1, 2).reshape(len(x), 16, 5, 4)
        mixed = self.mix(groups).flatten(2).amax(2)
        return self.out(mixed.relu())


length = torch.export.Dim("length", min=4, max=128)
example = torch.randn(2, 20, 16)
torch.export.export(Grouped(), (example,), dynamic_shapes=({1: length},), strict=True)
