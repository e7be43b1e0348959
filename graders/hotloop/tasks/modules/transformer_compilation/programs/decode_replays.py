"""Replay a recorded decoding step on the judge's inputs.

Only PyTorch operators run here, in recorded order, and none of the learner's code.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import nullcontext
from typing import Any

import recording
import torch
from torch import Tensor

from hotloop.worker.torch_replay import Replay, unpacked

torch.set_num_threads(1)

MOST_OPS = 4000

_plan: list[list[Any]] = []


class StepReplay(Replay):
    """Storages by number."""

    def all(self, steps: Iterable[Any]) -> None:
        """Do these steps."""
        for step in steps:
            self.step(step, nullcontext())

    def again(self, steps: Iterable[Any]) -> None:
        """Do these steps, whose results are new tensors each time."""
        before = dict(self._storages)
        self.all(steps)
        self._storages = before


def load(once: str, each: str) -> int:
    """Load a recording; return the kernels of each step.

    Raises ValueError if it has too many or forbidden operators.
    """
    _plan[:] = unpacked(once), unpacked(each)
    names = [[str(step[1]) for step in steps] for steps in _plan]
    if sum(map(len, names)) > MOST_OPS:
        raise ValueError(f"a step and its preparation are {sum(map(len, names))} operators")
    for name in (*names[0], *names[1]):
        if any(part in name for part in recording.WAITS):
            raise ValueError(f"{name} cannot be recorded")
    return sum(map(recording.launches, names[1]))


@torch.no_grad()
def run(*tensors: Tensor) -> None:
    """Replay all steps.

    tensors: all weights, the cache, positions, tokens, and the output for scores.
    positions: int64 [rows], those of the first step. tokens: int64 [rows, steps].
    """
    *weights, cache, places, tokens, out = tensors
    rows, steps = tokens.shape
    token, place = torch.zeros_like(places), torch.zeros_like(places)
    scores = torch.full((rows, out.shape[2]), torch.nan)
    # Copies, since a recorded tensor begins where its storage begins.
    replay = StepReplay([*map(torch.clone, weights), token, place, cache.clone(), scores])
    once, each = _plan
    replay.all(once)
    for number in range(steps):
        token.copy_(tokens[:, number])
        place.copy_(places + number)
        replay.again(each)
        out[:, number] = scores
