"""A transformers class with branches, in its original form: hidden messages and right scores.

Runs in one of the judge's workers, which gets nothing of the learner's but plain numbers.
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
    """Return the model in float64."""
    return routed.load(seed).double()


def messages(seed: int, out: torch.Tensor) -> None:
    """Fill in messages, of which every second one ends in padding. out: int64 [n, length]."""
    numbers = torch.Generator().manual_seed(seed)
    n, length = out.shape
    sampled = torch.randint(1, routed.VOCABULARY, (n, length), generator=numbers)
    real = torch.randint((length + 1) // 2, length + 1, (n, 1), generator=numbers)
    padded = (torch.arange(length)[None] >= real) & (torch.arange(n) % 2 == 1)[:, None]
    out.copy_(sampled.masked_fill(padded, routed.PADDING))


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the source's scores, computed in float64. out: float32 [n, 8]."""
    out.copy_(model(weights)(tokens, torch.tensor(kind)))
