"""The training loop of all recordings: one step, with one place for each of the sicknesses.

As it stands here it is healthy. It runs on one process or on several that average their gradients.
A recording changes one method and nothing else, so that all that is healthy looks alike.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import torch
import torch.distributed as dist
from torch.nn.functional import cross_entropy
from torch.profiler import record_function
from torch.utils.data import DataLoader, Dataset

from hotloop.core import paths

sys.path.insert(0, str(paths.exercises() / "profile_training_loop"))
sys.dont_write_bytecode = True

from data import Pictures, stripes  # noqa: E402
from resnet import ResNet, Size  # noqa: E402

SIZE = Size(8, (1, 1, 1, 0), stem_stride=2)
"""A stage less than the small network has, so that six steps are a small file."""

BATCH = 8
ROUNDS = 10
RATE = 0.02
MOMENTUM = 0.9
WEIGHT_DECAY = 5e-4
MEAN, DEVIATION = 122.0, 64.0

Batch = tuple[torch.Tensor, torch.Tensor]


def sgd(parameters: Iterable[torch.nn.Parameter]) -> torch.optim.SGD:
    """What all recordings train with: one operator for all parameters."""
    return torch.optim.SGD(
        parameters, RATE, MOMENTUM, weight_decay=WEIGHT_DECAY, nesterov=True, fused=True
    )


class Batches(Dataset[Batch]):
    """Whole batches, each prepared by a handful of operators."""

    def __init__(self, pictures: Pictures) -> None:
        self.pictures = pictures

    def __getitem__(self, chosen: torch.Tensor) -> Batch:
        inputs = self.pictures.images[chosen].movedim(3, 1).float()
        return inputs.sub_(MEAN).div_(DEVIATION), self.pictures.labels[chosen]


class Loop:
    """A run of some steps on one of `world` processes."""

    steps = 6
    prefetched = 8
    """How many batches the worker may be ahead."""
    world = 1
    """In how many processes it is run; the first one is recorded."""

    def __init__(self, rank: int) -> None:
        torch.set_num_threads(1)
        torch.manual_seed(rank)
        self.rank = rank
        self.pictures = stripes()
        self.model = ResNet(SIZE).train()
        self.optimizer = sgd(self.model.parameters())

    def loader(self) -> DataLoader[Batch]:
        """One worker process that prepares batches ahead."""
        order = torch.randperm(len(self.pictures.labels)).split(BATCH) * ROUNDS
        return DataLoader(
            self.dataset(),
            sampler=list(order),
            batch_size=None,
            num_workers=1,
            prefetch_factor=self.prefetched,
        )

    def dataset(self) -> Dataset[Batch]:
        """What the worker prepares."""
        return Batches(self.pictures)

    def step(self, batches: Iterator[Batch]) -> None:
        """One step; its ranges have the names that they have in the trace."""
        with record_function("load"):
            inputs, labels = next(batches)
        with record_function("forward"):
            loss = self.forward(inputs, labels)
        with record_function("backward"):
            self.optimizer.zero_grad()
            loss.backward()
        with record_function("average"):
            self.average()
        with record_function("update"):
            self.update()

    def forward(self, inputs: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
        """The loss."""
        return cross_entropy(self.model(inputs), labels)

    def average(self) -> None:
        """The mean of the gradients over all processes."""
        gradients = [p.grad for p in self.model.parameters() if p.grad is not None]
        flat = torch.cat([gradient.view(-1) for gradient in gradients])
        dist.all_reduce(flat)
        flat /= self.world
        parts = flat.split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts, strict=True):
            gradient.copy_(part.view_as(gradient))

    def update(self) -> None:
        """The optimizer's step."""
        self.optimizer.step()
