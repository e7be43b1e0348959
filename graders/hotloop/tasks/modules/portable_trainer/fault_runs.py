"""Runs with faults and kills that a trainer must survive."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from hotloop.tasks.modules.portable_trainer import random_faults
from hotloop.tasks.modules.portable_trainer.fallback import Backend
from hotloop.tasks.modules.portable_trainer.random_faults import Fault

Kill = tuple[str, int, float | None]
"""Name of a request, how many of them there are when the trainer is killed, and the seconds between
answer and kill; None to kill it without an answer.
"""

SAMPLES, BATCH = 64, 8


@dataclass(frozen=True)
class PlannedRun:
    """A run with its faults and kills. every: steps between checkpoints.

    ends: whether the policy lets it finish.
    """

    label: str
    seed: int
    backends: tuple[Backend, ...]
    faults: tuple[Fault, ...]
    kills: tuple[Kill, ...] = ()
    steps: int = 40
    every: int = random_faults.EVERY
    ends: bool = True

    def plan(self) -> str:
        """Return the JSON for the program disturbing.py."""
        return json.dumps(
            {
                "seed": self.seed,
                "steps": self.steps,
                "every": self.every,
                "backends": [backend.plain() for backend in self.backends],
                "faults": [vars(fault) for fault in self.faults],
                "kills": self.kills,
            }
        )

    def order(self) -> list[list[int]]:
        """Return the samples of each step, as `remote.py` beside the notebook computes them."""
        order: list[list[int]] = []
        for step in range(self.steps):
            epoch, place = divmod(step, SAMPLES // BATCH)
            numbers = np.random.default_rng([self.seed, epoch]).permutation(SAMPLES)
            order.append(numbers[place * BATCH : (place + 1) * BATCH].tolist())
        return order
