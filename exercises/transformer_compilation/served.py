"""What a service computes: a mean of each row's positions, weighted by what stands there."""

from __future__ import annotations

import torch
from torch import Tensor


def pooled(
    weights: dict[str, Tensor], x: Tensor, real: Tensor, temperature: Tensor | float
) -> Tensor:
    """x: float32 [rows, length, width]. real: bool [rows, length], False for padding.

    Returns float32 [rows, width]. A row that is padding alone gives NaN.
    """
    hidden = torch.tanh(x @ weights["up"])
    scores = (hidden @ weights["down"]) / temperature
    shares = torch.softmax(scores.masked_fill(~real, -torch.inf), -1)
    return (shares[:, :, None] * x).sum(1)
