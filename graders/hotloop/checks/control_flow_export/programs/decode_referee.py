"""The tokens that the source of the decoder writes: loaded once, computed as it stands."""

from __future__ import annotations

from functools import cache

import decoder
import torch

if decoder.DEVICE == "cpu":
    torch.set_num_threads(1)


@cache
def model(weights: int) -> decoder.Decoder:
    """On the device."""
    return decoder.load(weights)


@torch.inference_mode()
def generate(weights: int, first: torch.Tensor, out: torch.Tensor) -> None:
    """first: int64 [n]. out: int64 [n, steps]. Eager: one launch an operator, one read a step."""
    grown: decoder.Cache = []
    token = first.to(decoder.DEVICE)
    for step in range(out.shape[1]):
        token = model(weights)(token, grown).argmax(-1)
        out[:, step] = token.cpu()
