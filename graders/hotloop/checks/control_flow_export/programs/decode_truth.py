"""What the decoder with its growing cache says, in float64, and the tokens that it writes."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import decoder
import torch


@cache
def model(weights: int) -> decoder.Decoder:
    """In float64, on the CPU."""
    return decoder.load(weights).double().cpu()


@torch.inference_mode()
def scores(weights: int, tokens: torch.Tensor, out: torch.Tensor) -> None:
    """tokens: int64 [n, steps], given. out: float32 [n, steps, 256]."""
    grown: decoder.Cache = []
    for step in range(tokens.shape[1]):
        out[:, step] = model(weights)(tokens[:, step], grown)


def sample() -> str:
    """The path of an example of a step's inputs, as torch.export.save would pack one."""
    path = Path(tempfile.mkdtemp()) / "sample.pt"
    size = (decoder.LAYERS, 4, decoder.HEADS, decoder.LONGEST, decoder.WIDTH // decoder.HEADS)
    token = torch.zeros(4, dtype=torch.int64)
    torch.save(((token, torch.tensor(0), torch.zeros(size), torch.zeros(size)), {}), path)
    return str(path)
