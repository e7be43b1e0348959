"""Repeats a recorded decoding step on inputs of the judge's. Nothing of the learner's runs here but
PyTorch's own operators, in the order that the recording says.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import recording
import torch
from torch import Tensor

torch.set_num_threads(1)

MOST_OPS = 4000
OUTSIDE = ("from_file", "set_")
"""In an operator's name: it is about other memory than the recording's."""

_plan: dict[str, Any] = {}


def load(path: str) -> int:
    """Kernels of each step. ValueError for what is no recording."""
    told = json.loads(Path(path).read_text())
    ops = [*told["once"], *told["each"]]
    if len(ops) > MOST_OPS:
        raise ValueError(f"a step and its preparation are {len(ops)} operators")
    for name, *_ in ops:
        if any(part in name for part in (*recording.WAITS, *OUTSIDE)):
            raise ValueError(f"{name} cannot be recorded")
    _plan.update(told)
    return sum(recording.launches(op[0]) for op in told["each"])


@torch.no_grad()
def run(*given: Tensor) -> None:
    """given: all weights, the cache, the places and tokens of all steps, and where scores go.

    places: int64 [rows], of the first step. tokens: int64 [rows, steps].
    """
    *weights, cache, places, tokens, out = given
    rows, steps = tokens.shape
    token, place = torch.zeros_like(places), torch.zeros_like(places)
    scores = torch.full((rows, out.shape[2]), torch.nan)
    own = [*weights, token, place, cache.clone(), scores]
    tensors = dict(enumerate(own))
    recording.repeat(_plan["once"], tensors)
    for number in range(steps):
        token.copy_(tokens[:, number])
        place.copy_(places + number)
        recording.repeat(_plan["each"], tensors)
        out[:, number] = scores
