"""A network like resnet.py's, which goes through some of its blocks more than once.

After the first time it computes in float32, whatever the autocast around it. How often is drawn in
each call, so that nobody can know what a trace of it holds who has not watched a run. The judge
sets the numbers.
"""

import random

import torch
from resnet import SMALL, Size
from resnet import ResNet as Given

SEED, RESNET50 = 0, SMALL
MOST_AGAIN = 3


class ResNet(Given):
    """The layers of resnet.py's."""

    def __init__(self, size: Size) -> None:
        super().__init__(size)
        self.draw = random.Random(SEED)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [images, 3, 32, 32]."""
        y = torch.relu(self.bn1(self.conv1(x)))
        for block in self.stages:
            y = block(y)
            again = 0 if len(block.shortcut) else self.draw.randrange(MOST_AGAIN + 1)
            for _ in range(again):
                with torch.autocast(y.device.type, enabled=False):
                    y = block(y.float())
        return self.head(y.mean(dim=(2, 3)))
