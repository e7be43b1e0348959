"""ResNet-50, with torchvision's names for its parameters, so that its weights fit here.

The layers are those of "Deep Residual Learning for Image Recognition" (He et al., 2015), with the
stride on the 3x3 convolution of a block, as torchvision has it (ResNet-50 v1.5). A width of 64 is
the network of the paper; ours, which reads the signs, has the same 53 convolutions and a width of
16, and so a sixteenth of the weights.
"""

from pathlib import Path

import torch
from torch import nn

BLOCKS = (3, 4, 6, 3)
EXPANSION = 4
WEIGHTS = Path(__file__).with_name("resnet50_signs.safetensors")


class Bottleneck(nn.Module):
    """Three convolutions: fewer channels, 3x3, more channels; and what came in is added."""

    def __init__(self, inputs, width, stride=1):
        super().__init__()
        outputs = width * EXPANSION
        self.conv1 = nn.Conv2d(inputs, width, 1, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.conv2 = nn.Conv2d(width, width, 3, stride, padding=1, bias=False)
        self.bn2 = nn.BatchNorm2d(width)
        self.conv3 = nn.Conv2d(width, outputs, 1, bias=False)
        self.bn3 = nn.BatchNorm2d(outputs)
        self.relu = nn.ReLU(inplace=True)
        self.downsample = None
        if stride != 1 or inputs != outputs:
            self.downsample = nn.Sequential(
                nn.Conv2d(inputs, outputs, 1, stride, bias=False), nn.BatchNorm2d(outputs)
            )

    def forward(self, x):
        """Of shape [batch, inputs, height, width]."""
        residual = x if self.downsample is None else self.downsample(x)
        x = self.relu(self.bn1(self.conv1(x)))
        x = self.relu(self.bn2(self.conv2(x)))
        return self.relu(self.bn3(self.conv3(x)) + residual)


class ResNet50(nn.Module):
    """float32 [batch, 3, height, width], normalized RGB, to logits [batch, classes]."""

    def __init__(self, width=64, classes=10):
        super().__init__()
        self.conv1 = nn.Conv2d(3, width, 7, 2, padding=3, bias=False)
        self.bn1 = nn.BatchNorm2d(width)
        self.relu = nn.ReLU(inplace=True)
        self.maxpool = nn.MaxPool2d(3, 2, padding=1)
        self.layer1 = _layer(width, width, BLOCKS[0], 1)
        self.layer2 = _layer(width * 4, width * 2, BLOCKS[1], 2)
        self.layer3 = _layer(width * 8, width * 4, BLOCKS[2], 2)
        self.layer4 = _layer(width * 16, width * 8, BLOCKS[3], 2)
        self.avgpool = nn.AdaptiveAvgPool2d((1, 1))
        self.fc = nn.Linear(width * 32, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, x):
        """One logit a class."""
        x = self.maxpool(self.relu(self.bn1(self.conv1(x))))
        x = self.layer4(self.layer3(self.layer2(self.layer1(x))))
        return self.fc(torch.flatten(self.avgpool(x), 1))


def load(path=None):
    """The trained network of width 16, in evaluation mode; or the one whose weights `path` holds.

    path: a .safetensors file, or a state_dict that torch.save wrote, such as torchvision's
    resnet50-11ad3fa6.pth. Width and classes are read off the weights.
    """
    weights = _read(Path(path or WEIGHTS))
    network = ResNet50(weights["conv1.weight"].shape[0], weights["fc.weight"].shape[0])
    network.load_state_dict(weights)
    return network.eval()


def _layer(inputs, width, blocks, stride):
    first = Bottleneck(inputs, width, stride)
    return nn.Sequential(first, *(Bottleneck(width * EXPANSION, width) for _ in range(1, blocks)))


def _read(path):
    if path.suffix == ".safetensors":
        from safetensors.torch import load_file

        weights = load_file(path)
    else:
        # weights_only: such a file is a pickle, and a pickle may hold any code.
        weights = torch.load(path, map_location="cpu", weights_only=True)
    return {name: _full(tensor) for name, tensor in weights.items()}


def _full(tensor):
    return tensor.float() if tensor.is_floating_point() else tensor
