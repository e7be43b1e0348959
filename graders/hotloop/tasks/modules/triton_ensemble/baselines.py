"""Baseline of triton_ensemble: the pooling code that embedding models publish with their weights.

Runs in a worker, never in the judge. Destination style: functions fill their last argument.
"""

from __future__ import annotations

import torch


def mean_pooling(hidden: torch.Tensor, mask: torch.Tensor, out: torch.Tensor) -> None:
    """Normalize the mean of each row's tokens to length 1, one operation per line.

    hidden: float16 [rows, length, width]. mask: bool [rows, length]. out: float32 [rows, width].
    The mask is expanded to a float32 tensor of hidden's shape, as in the `mean_pooling` of
    sentence-transformers models: 22 bytes of traffic per element of `hidden` instead of 2.
    """
    spread = mask.unsqueeze(-1).expand(hidden.size()).float()
    total = torch.sum(hidden * spread, 1)
    mean = total / torch.clamp(spread.sum(1), min=1e-9)
    out.copy_(torch.nn.functional.normalize(mean, p=2, dim=1))
