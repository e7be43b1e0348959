"""The encoder's source, run eagerly: what a package has to be faster than."""

from __future__ import annotations

from functools import cache

import encoder
import torch

torch.set_num_threads(1)


@cache
def model(weights: int) -> encoder.Encoder:
    """As it is loaded for inference."""
    return encoder.load(weights)


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """tokens: int64 [n, length]. out: float32 [n, 8]."""
    out.copy_(model(weights)(tokens, torch.tensor(kind)))
