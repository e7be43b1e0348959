"""Right float64 scores of the model with graph breaks. It sees nothing of the learner's."""

from __future__ import annotations

import io
import logging
from contextlib import redirect_stdout
from functools import cache

import torch
import triage

torch.set_num_threads(1)
logging.getLogger("triage").setLevel(logging.CRITICAL)


@cache
def model(weights: int) -> triage.Triage:
    """Return the model in float64."""
    return triage.load(weights).double()


@torch.inference_mode()
def messages(seed: int, out: torch.Tensor) -> None:
    """Fill in messages, of which every second one ends in padding. out: int64 [n, length]."""
    numbers = torch.Generator().manual_seed(seed)
    n, length = out.shape
    out.copy_(torch.randint(1, triage.VOCABULARY, (n, length), generator=numbers))
    out[1::2, max(1, length - length // 3) :] = triage.PADDING


@torch.inference_mode()
def run(weights: int, tokens: torch.Tensor, kind: int, out: torch.Tensor) -> None:
    """Fill in the scores. out: float32 [n, 8]."""
    with redirect_stdout(io.StringIO()):
        out.copy_(model(weights)(tokens, torch.tensor(kind)))
