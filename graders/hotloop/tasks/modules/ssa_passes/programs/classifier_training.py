"""Train the classifier to be pruned, and draw images of stripes."""

from __future__ import annotations

import tempfile
from collections import OrderedDict
from pathlib import Path

import numpy as np
import stripes
import torch
from torch import nn

torch.set_num_threads(1)

PICTURES, EPOCHS, BATCH = 2000, 6, 64
FIRST, SECOND = 16, 32
PADDLE = {"running_mean": "_mean", "running_var": "_variance"}
"""Maps PyTorch's names to Paddle's where they differ."""


def trained(seed: int) -> str:
    """Return the path of an .npz with the network's arrays, under Paddle's names."""
    torch.manual_seed(seed)
    model = nn.Sequential(
        OrderedDict(
            conv1=nn.Conv2d(3, FIRST, 3, padding=1),
            norm1=nn.BatchNorm2d(FIRST),
            relu1=nn.ReLU(),
            conv2=nn.Conv2d(FIRST, SECOND, 3, padding=1),
            norm2=nn.BatchNorm2d(SECOND),
            relu2=nn.ReLU(),
            mean=nn.AdaptiveAvgPool2d(1),
            flat=nn.Flatten(),
            linear=nn.Linear(SECOND, stripes.CLASSES),
        )
    )
    images, labels = (torch.from_numpy(part) for part in stripes.drawn(seed, PICTURES))
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
    arrays["linear.weight"] = arrays["linear.weight"].T.copy()
    return _written(arrays)


def pictures(seed: int, count: int) -> str:
    """Return the path of an .npz with `count` images and their labels."""
    images, labels = stripes.drawn(seed, count)
    return _written({"images": images, "labels": labels})


def _paddle(name: str) -> str:
    layer, _, part = name.partition(".")
    return f"{layer}.{PADDLE.get(part, part)}"


def _written(arrays: dict[str, np.ndarray]) -> str:
    path = Path(tempfile.mkdtemp()) / "arrays.npz"
    np.savez(path, **arrays)
    return str(path)
