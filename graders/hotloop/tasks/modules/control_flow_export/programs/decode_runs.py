"""Run a learner's exported step repeatedly in the same memory, as a recording would."""

from __future__ import annotations

import warnings
from typing import Any

import torch

torch.set_num_threads(1)
warnings.filterwarnings("ignore")

LOADED: list[Any] = []
STALE = 30.0
"""Value of stale cache entries: large enough to change the result if they are read."""


def load(path: str) -> bool:
    """Load a clean archive of torch.export.save."""
    LOADED[:] = [torch.export.load(path).module()]
    return True


@torch.inference_mode()
def run(tokens: torch.Tensor, out: torch.Tensor) -> None:
    """Run the step for each token. tokens: int64 [4, steps]. out: float32 [4, steps, 256]."""
    step = LOADED[0]
    token, place = torch.zeros(4, dtype=torch.int64), torch.zeros((), dtype=torch.int64)
    keys, values = (torch.full((3, 4, 4, 64, 16), STALE) for _ in range(2))
    for number in range(tokens.shape[1]):
        token.copy_(tokens[:, number])
        place.fill_(number)
        out[:, number] = step(token, place, keys, values)
