"""Replay a recorded decoding step on the judge's inputs.

Only PyTorch operators run here, in recorded order, and none of the learner's code.
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
"""Operators whose names contain one of these reach memory outside the recording."""

_plan: dict[str, Any] = {}


def load(path: str) -> int:
    """Load a recording; return the kernels of each step.

    Raises ValueError if it has too many or forbidden operators.
    """
    request = json.loads(Path(path).read_text())
    ops = [*request["once"], *request["each"]]
    if len(ops) > MOST_OPS:
        raise ValueError(f"a step and its preparation are {len(ops)} operators")
    for name, *_ in ops:
        if any(part in name for part in (*recording.WAITS, *OUTSIDE)):
            raise ValueError(f"{name} cannot be recorded")
    _plan.update(request)
    return sum(recording.launches(op[0]) for op in request["each"])


@torch.no_grad()
def run(*given: Tensor) -> None:
    """Replay all steps.

    given: all weights, the cache, positions, tokens, and the output for scores.
    positions: int64 [rows], those of the first step. tokens: int64 [rows, steps].
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
