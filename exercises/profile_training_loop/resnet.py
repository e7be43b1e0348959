"""ResNet-50 with the stem that 32×32 images need, and a small one for a CPU.

He, Zhang, Ren and Sun, "Deep Residual Learning for Image Recognition", 2015; the stride sits in the
3×3 convolution, as in torchvision. Images of 32×32 are too small for a 7×7 stem with pooling: a 3×3
convolution takes its place.
"""

from dataclasses import dataclass

import torch
from torch import nn


@dataclass(frozen=True)
class Size:
    """How large a network is. blocks: bottlenecks in each of the four stages."""

    width: int
    blocks: tuple[int, int, int, int]
    stem_stride: int = 1
    classes: int = 10


RESNET50 = Size(64, (3, 4, 6, 3))
SMALL = Size(8, (1, 1, 1, 1), stem_stride=2)
"""The same parts, so few of them that a step takes milliseconds on one core."""


class Bottleneck(nn.Module):
    """1×1, 3×3 and 1×1 convolutions around a shortcut."""

    expansion = 4

    def __init__(self, inside: int, width: int, stride: int) -> None:
        super().__init__()
        out = width * self.expansion
        self.conv1 = nn.Conv2d(inside, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, out, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(out)
        self.shortcut = nn.Sequential()
        if stride != 1 or inside != out:
            self.shortcut = nn.Sequential(
                nn.Conv2d(inside, out, 1, stride, bias=False), nn.BatchNorm2d(out)
            )

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [images, channels, height, width]."""
        y = torch.relu(self.bn1(self.conv1(x)))
        y = torch.relu(self.bn2(self.conv2(y)))
        y = self.bn3(self.conv3(y))
        return torch.relu(y + self.shortcut(x))


class ResNet(nn.Module):
    """Images [n, 3, 32, 32] to scores [n, classes]."""

    def __init__(self, size: Size) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(3, size.width, 3, size.stem_stride, padding=1, bias=False)
        self.bn1 = nn.BatchNorm2d(size.width)
        stages = []
        inside = size.width
        for number, blocks in enumerate(size.blocks):
            width = size.width << number
            for block in range(blocks):
                stride = 2 if number > 0 and block == 0 else 1
                stages.append(Bottleneck(inside, width, stride))
                inside = width * Bottleneck.expansion
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(inside, size.classes)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        """x: [images, 3, 32, 32]."""
        y = self.stages(torch.relu(self.bn1(self.conv1(x))))
        return self.head(y.mean(dim=(2, 3)))


def size_for(device: str) -> Size:
    """ResNet-50 on a GPU, the small network on a CPU."""
    return RESNET50 if device == "cuda" else SMALL


def unpack(model: nn.Module, weights: torch.Tensor) -> None:
    """Fill a model from one float32 vector, in the order of its state_dict."""
    parts = weights.split([entry.numel() for entry in model.state_dict().values()])
    with torch.no_grad():
        for entry, part in zip(model.state_dict().values(), parts, strict=True):
            entry.copy_(part.view_as(entry))


def pack(model: nn.Module, weights: torch.Tensor) -> None:
    """The way back: a model's parameters and statistics into one float32 vector."""
    parts = weights.split([entry.numel() for entry in model.state_dict().values()])
    with torch.no_grad():
        for entry, part in zip(model.state_dict().values(), parts, strict=True):
            part.copy_(entry.reshape(-1))
