"""A training run: all that changes while it trains, in one object.

    run = Run(seed)         before the first step
    run.step()              one step; gives its loss

What one step takes from where: the next 8 of this epoch's order, noise for the pictures from
`noise`, weights from `model`, momentum from `optimizer`. Where an epoch of 64 samples ends,
`shuffle` draws the order of the next one.
"""

import shapes
import torch
import vlm

SAMPLES, BATCH = 64, 8
LEARNING_RATE, MOMENTUM, NOISE = 0.05, 0.9, 0.05


class Run:
    """Everything here has to be in a checkpoint, or the run goes on as another one."""

    def __init__(self, seed):
        self.model = vlm.made(seed)
        self.optimizer = optimizer_of(self.model)
        self.noise = torch.Generator().manual_seed(seed + 1)
        self.shuffle = torch.Generator().manual_seed(seed + 2)
        self.order = torch.randperm(SAMPLES, generator=self.shuffle)
        self.position = 0
        self.steps = 0

    def next_numbers(self):
        """The samples of the next step; taking them moves the position on."""
        if self.position == SAMPLES:
            self.order = torch.randperm(SAMPLES, generator=self.shuffle)
            self.position = 0
        begin, self.position = self.position, self.position + BATCH
        return self.order[begin : self.position].tolist()

    def next_batch(self):
        """Pictures with noise, and captions, of the next step."""
        pictures, captions = shapes.batch(self.next_numbers())
        return pictures + NOISE * torch.randn(pictures.shape, generator=self.noise), captions

    def step(self):
        """Train once. The loss is that before the weights change."""
        pictures, captions = self.next_batch()
        loss = self.model(pictures, captions)
        self.optimizer.zero_grad()
        loss.backward()
        self.optimizer.step()
        self.steps += 1
        return loss.item()


def optimizer_of(model):
    """Gradient descent with momentum: v ← 0.9 v + g, p ← p - 0.05 v."""
    return torch.optim.SGD(model.parameters(), lr=LEARNING_RATE, momentum=MOMENTUM)
