"""The encoder's source, run eagerly: the baseline of a package."""

from __future__ import annotations

from functools import cache

import encoder
import torch

torch.set_num_threads(1)


@cache
def model(weights: int) -> encoder.Encoder:
    """Return the encoder, loaded for inference."""
    return encoder.load(weights)


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the scores. tokens: int64 [n, length]. out: float32 [n, 8]."""
    out.copy_(model(weights)(tokens, torch.tensor(kind)))
