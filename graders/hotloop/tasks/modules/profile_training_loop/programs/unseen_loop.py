"""A loop like watched_loop's. Each phase makes a tensor whose size is drawn as it runs.

So nobody can know what a trace of it holds who has not watched a run. The judge sets the seed.
"""

import random

import torch

SEED = 0
SIZES = range(1_000, 100_000)
"""Numbers in a phase's tensor, float32."""


class Training:
    """The methods of watched_loop.Training."""

    def __init__(self, batch: int = 16) -> None:
        self.labels = torch.ones(batch)
        self.draw = random.Random(SEED)

    def load(self, step: int) -> tuple[torch.Tensor, torch.Tensor]:
        """A batch."""
        return self._work(), step * self.labels

    def forward(self, batch: tuple[torch.Tensor, torch.Tensor]) -> torch.Tensor:
        """Its loss."""
        return self._work().sum() + batch[1].sum()

    def backward(self, loss: torch.Tensor) -> None:
        """Its gradients."""
        self._work().add_(loss)

    def update(self) -> None:
        """A step of the optimizer."""
        self._work()

    def _work(self) -> torch.Tensor:
        return torch.zeros(self.draw.choice(SIZES)).sin_()
