"""Drops messages that are empty, and takes another way when few are left."""

import torch
from torch import nn


class Dropping(nn.Module):
    """Only what has something in it."""

    def __init__(self):
        super().__init__()
        self.careful = nn.Linear(16, 8)
        self.quick = nn.Linear(16, 8)

    def forward(self, x):
        """x: float32 [n, 16]."""
        kept = x[x.abs().sum(1) > 0]
        if x.shape[0] > 64:
            kept = kept[:64]
        scaled = kept / kept.norm(dim=1, keepdim=True)
        if kept.shape[0] < 8:
            return self.careful(scaled)
        return self.quick(scaled)


n = torch.export.Dim("n", min=2, max=64)
torch.export.export(Dropping(), (torch.randn(12, 16),), dynamic_shapes=({0: n},))
