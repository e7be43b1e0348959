"""Scores of the decoder with its growing cache, in float64."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import decoder
import torch


@cache
def model(weights: int) -> decoder.Decoder:
    """Return the decoder in float64, on the CPU."""
    return decoder.load(weights).double().cpu()


@torch.inference_mode()
def scores(weights: int, tokens: torch.Tensor, out: torch.Tensor) -> None:
    """Fill in the scores after each token.

    tokens: int64 [n, steps]. out: float32 [n, steps, 256].
    """
    grown: decoder.Cache = []
    for step in range(tokens.shape[1]):
        out[:, step] = model(weights)(tokens[:, step], grown)


def sample() -> str:
    """Return the path of an example of a step's inputs, packed as by torch.export.save."""
    path = Path(tempfile.mkdtemp()) / "sample.pt"
    size = (decoder.LAYERS, 4, decoder.HEADS, decoder.LONGEST, decoder.WIDTH // decoder.HEADS)
    token = torch.zeros(4, dtype=torch.int64)
    torch.save(((token, torch.tensor(0), torch.zeros(size), torch.zeros(size)), {}), path)
    return str(path)
