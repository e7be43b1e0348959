"""The tokens that the decoder's source generates: loaded once, run eagerly."""

from __future__ import annotations

from functools import cache

import decoder
import torch

if decoder.DEVICE == "cpu":
    torch.set_num_threads(1)


@cache
def model(weights: int) -> decoder.Decoder:
    """Return the decoder on the device."""
    return decoder.load(weights)


@torch.inference_mode()
def generate(weights: int, first: torch.Tensor, out: torch.Tensor) -> None:
    """Generate eagerly, with one launch per operator and one read per step.

    first: int64 [n]. out: int64 [n, steps].
    """
    grown: decoder.Cache = []
    token = first.to(decoder.DEVICE)
    for step in range(out.shape[1]):
        token = model(weights)(token, grown).argmax(-1)
        out[:, step] = token.cpu()
