"""What the encoder's source says of each message alone, on a GPU where there is one."""

from __future__ import annotations

from functools import cache

import encoder
import torch

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"


@cache
def model(weights: int) -> encoder.Encoder:
    """On the device."""
    return encoder.load(weights).to(DEVICE)


@torch.inference_mode()
def alone(weights: int, tokens: torch.Tensor, kinds: torch.Tensor, out: torch.Tensor) -> None:
    """tokens: int64 [n, 64], padded behind. kinds: int64 [n]. out: float32 [n, 8].

    Eager: one launch an operator, and a wait at each decision of each message.
    """
    for row, (message, kind) in enumerate(zip(tokens, kinds, strict=True)):
        real = message[message != encoder.PADDING].unsqueeze(0)
        out[row] = model(weights)(real.to(DEVICE), kind.to(DEVICE))[0].cpu()
