"""Train MobileNetV1 on drawn stripes, in PyTorch and under Paddle's names.

PyTorch trains depthwise convolutions on a CPU in a fraction of the time that Paddle needs. Nothing
of the candidate's is here.
"""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import stripes
import torch
from torch import nn

torch.set_num_threads(1)

CLASSES = 4
PICTURES, EPOCHS, BATCH = 3000, 8, 64
NOISE = 0.2
BLOCKS = {
    "conv2_1": (64, 1),
    "conv2_2": (128, 2),
    "conv3_1": (128, 1),
    "conv3_2": (256, 2),
    "conv4_1": (256, 1),
    "conv4_2": (512, 2),
    **{f"conv5_{number}": (512, 1) for number in range(1, 6)},
    "conv5_6": (1024, 2),
    "conv6": (1024, 1),
}
"""Channels at full width, and stride, of each block; a quarter of the width is used."""

PADDLE = {"running_mean": "_mean", "running_var": "_variance"}
"""Maps PyTorch's names to Paddle's where they differ."""


def started(seed: int) -> str:
    """Return the path of an .npz with the arrays of a trained network, by Paddle's names."""
    torch.manual_seed(seed)
    model = _network()
    images, labels = (torch.from_numpy(part) for part in stripes.drawn(seed, PICTURES, NOISE))
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    steps = EPOCHS * -(-PICTURES // BATCH)
    slower = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, steps)
    for _ in range(EPOCHS):
        for some in torch.randperm(PICTURES).split(BATCH):
            nn.functional.cross_entropy(model(images[some]), labels[some]).backward()
            optimizer.step()
            optimizer.zero_grad()
            slower.step()
    arrays = {
        _paddle(name): values.numpy() for name, values in model.state_dict().items() if values.ndim
    }
    arrays["fc.weight"] = arrays["fc.weight"].T.copy()
    return _written(arrays)


def pictures(seed: int, count: int) -> str:
    """Return the path of an .npz with images and their labels."""
    images, labels = stripes.drawn(seed, count, NOISE)
    return _written({"images": images, "labels": labels})


def _network() -> nn.Sequential:
    layers: OrderedDict[str, nn.Module] = OrderedDict(conv1=_layer(3, 8, 3, 2, 1))
    channels = 8
    for name, (full, stride) in BLOCKS.items():
        parts = OrderedDict(
            _depthwise_conv=_layer(channels, channels, 3, stride, channels),
            _pointwise_conv=_layer(channels, full // 4, 1, 1, 1),
        )
        layers[name], channels = nn.Sequential(parts), full // 4
    layers |= {"mean": nn.AdaptiveAvgPool2d(1), "flat": nn.Flatten()}
    return nn.Sequential(OrderedDict(**layers, fc=nn.Linear(channels, CLASSES)))


def _layer(channels: int, out: int, size: int, stride: int, groups: int) -> nn.Sequential:
    kernel = nn.Conv2d(channels, out, size, stride, size // 2, groups=groups, bias=False)
    return nn.Sequential(kernel, nn.BatchNorm2d(out), nn.ReLU())


def _paddle(name: str) -> str:
    layer, _, part = name.rpartition(".")
    return f"{layer}.{PADDLE.get(part, part)}"


def _written(arrays: dict[str, np.ndarray]) -> str:
    path = Path(tempfile.mkdtemp()) / "arrays.npz"
    np.savez(path, **arrays)
    return str(path)
