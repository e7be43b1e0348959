"""A short training loop with nothing wrong in it. Its phases have no names in a trace yet."""

from collections.abc import Iterator

import torch
from data import load as load_pictures
from resnet import SMALL, ResNet
from torch.nn.functional import cross_entropy

RATE = 0.05
MOMENTUM = 0.9
MEAN, DEVIATION = 122.0, 64.0

Batch = tuple[torch.Tensor, torch.Tensor]


class Training:
    """A model, its optimizer and the pictures. Each method is one phase of a step."""

    def __init__(self, batch: int = 16) -> None:
        self.pictures = load_pictures()
        torch.manual_seed(0)
        self.order = torch.randperm(len(self.pictures.labels)).split(batch)
        self.model = ResNet(SMALL).train()
        self.optimizer = torch.optim.SGD(self.model.parameters(), RATE, MOMENTUM, foreach=True)

    def load(self, step: int) -> Batch:
        """The next pictures, as numbers around zero, channels first."""
        chosen = self.order[step % max(len(self.order) - 1, 1)]  # the last one may be short
        inputs = self.pictures.images[chosen].movedim(3, 1).float()
        return inputs.sub_(MEAN).div_(DEVIATION), self.pictures.labels[chosen]

    def forward(self, batch: Batch) -> torch.Tensor:
        """The loss of a batch."""
        inputs, labels = batch
        return cross_entropy(self.model(inputs), labels)

    def backward(self, loss: torch.Tensor) -> None:
        """The gradients of a loss."""
        self.optimizer.zero_grad()
        loss.backward()

    def update(self) -> None:
        """One step of the optimizer."""
        self.optimizer.step()


def steps(count: int, batch: int = 16, training: Training | None = None) -> Iterator[int]:
    """Train for `count` steps. After each its number comes out, and the caller may look around."""
    training = training or Training(batch)
    for step in range(count):
        loss = training.forward(training.load(step))
        training.backward(loss)
        training.update()
        yield step
