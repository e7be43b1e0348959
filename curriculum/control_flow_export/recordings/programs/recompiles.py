"""Warms its answers up: the first ones are softer than the later ones."""

import torch
from torch import nn


class Softened(nn.Module):
    """Scores, divided by something that goes down."""

    def __init__(self):
        super().__init__()
        self.out = nn.Linear(16, 8)
        self.stage = "stage 0"
        self.calls = 0

    def forward(self, x):
        """x: float32 [n, 16]."""
        scores = self.out(x)
        if x.shape[0] > 64:
            scores = scores.clamp(-4, 4)
        divisor = 2.0 if self.stage.endswith("0") else 1.0
        return (scores / divisor).softmax(-1)


model = torch.compile(Softened(), backend="eager")
for call in range(12):
    model.stage = f"stage {call}"
    model(torch.randn(4 + call % 3, 16))
