"""What a trainer has to go through."""

from __future__ import annotations

import json
from dataclasses import dataclass

import numpy as np

from hotloop.checks.portable_trainer import weather
from hotloop.checks.portable_trainer.fallback import Backend
from hotloop.checks.portable_trainer.weather import Trouble

Kill = tuple[str, int, float | None]
"""What is asked for, how often it is asked before the kill, and the seconds that are left after the
answer; None if it is killed before it has one."""

SAMPLES, BATCH = 64, 8


@dataclass(frozen=True)
class Ordeal:
    """A run and what befalls it. ends: whether it can come to its end at all."""

    label: str
    seed: int
    backends: tuple[Backend, ...]
    troubles: tuple[Trouble, ...]
    kills: tuple[Kill, ...] = ()
    steps: int = 40
    every: int = weather.EVERY
    ends: bool = True

    def plan(self) -> str:
        """As the program gets it."""
        return json.dumps(
            {
                "seed": self.seed,
                "steps": self.steps,
                "every": self.every,
                "backends": [backend.plain() for backend in self.backends],
                "troubles": [vars(trouble) for trouble in self.troubles],
                "kills": self.kills,
            }
        )

    def order(self) -> list[list[int]]:
        """The samples of each step, as `remote.py` beside the notebook has them."""
        found: list[list[int]] = []
        for step in range(self.steps):
            epoch, place = divmod(step, SAMPLES // BATCH)
            numbers = np.random.default_rng([self.seed, epoch]).permutation(SAMPLES)
            found.append(numbers[place * BATCH : (place + 1) * BATCH].tolist())
        return found
