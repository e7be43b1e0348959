"""A transformers class with branches, as its authors wrote it: hidden messages and the truth.

Runs in a worker of ours that is given nothing of the learner's but plain numbers.
"""

from __future__ import annotations

import warnings
from functools import cache

import routed
import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")


@cache
def model(seed: int) -> routed.Routed:
    """In float64, so that it is the truth."""
    return routed.load(seed).double()


def messages(seed: int, out: torch.Tensor) -> None:
    """int64 [n, length]: every second one has padding at its end."""
    numbers = torch.Generator().manual_seed(seed)
    n, length = out.shape
    drawn = torch.randint(1, routed.VOCABULARY, (n, length), generator=numbers)
    real = torch.randint((length + 1) // 2, length + 1, (n, 1), generator=numbers)
    padded = (torch.arange(length)[None] >= real) & (torch.arange(n) % 2 == 1)[:, None]
    out.copy_(drawn.masked_fill(padded, routed.PADDING))


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """float32 [n, 8]: what the source says, computed in float64."""
    out.copy_(model(weights)(tokens, torch.tensor(kind)))
