"""The losses of training the CNN on MNIST's files in float64, with loops for the convolutions.

Nothing of the candidate's comes here. Files are read and the network is written a second time.
"""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import torch

torch.set_num_threads(1)

RATE, MOMENTUM = 0.05, 0.9
SHAPES = ((8, 1, 3, 3), (8,), (16, 8, 3, 3), (16,), (784, 10), (10,))


def losses(images_path: str, labels_path: str, start_path: str, batch: int) -> list[float]:
    """Return the loss of each step through the files, in their order."""
    images, labels = _pixels(images_path) / 255, _pixels(labels_path).long()
    start = torch.from_numpy(np.load(start_path)).double()
    sizes = [int(np.prod(shape)) for shape in SHAPES]
    parameters = [
        part.reshape(shape).clone() for part, shape in zip(start.split(sizes), SHAPES, strict=True)
    ]
    momenta = [torch.zeros_like(each) for each in parameters]
    values: list[float] = []
    for first in range(0, len(images), batch):
        leaves = [each.detach().requires_grad_() for each in parameters]
        value = _loss(leaves, images[first : first + batch], labels[first : first + batch])
        values.append(value.item())
        gradients = torch.autograd.grad(value, leaves)
        momenta = [MOMENTUM * m + g for m, g in zip(momenta, gradients, strict=True)]
        parameters = [p.detach() - RATE * m for p, m in zip(parameters, momenta, strict=True)]
    return values


def _pixels(path: str) -> torch.Tensor:
    data = Path(path).read_bytes()
    if path.endswith(".gz"):
        data = gzip.decompress(data)
    sizes = [int.from_bytes(data[4 + 4 * k : 8 + 4 * k], "big") for k in range(data[3])]
    values = np.frombuffer(data, np.uint8)[4 + 4 * len(sizes) :].reshape(sizes)
    return torch.from_numpy(values.astype(np.float64))


def _loss(p: list[torch.Tensor], images: torch.Tensor, labels: torch.Tensor) -> torch.Tensor:
    x = images[:, None]
    for kernel, bias in ((p[0], p[1]), (p[2], p[3])):
        height, width = x.shape[2:]
        wide = torch.nn.functional.pad(x, (1, 1, 1, 1))
        taps = [
            torch.einsum(
                "nchw,dc->ndhw", wide[:, :, i : i + height, j : j + width], kernel[..., i, j]
            )
            for i in range(3)
            for j in range(3)
        ]
        x = (sum(taps) + bias[:, None, None]).clamp(min=0)
        x = (x[..., ::2, ::2] + x[..., 1::2, ::2] + x[..., ::2, 1::2] + x[..., 1::2, 1::2]) / 4
    scores = x.reshape(len(x), -1) @ p[4] + p[5]
    return (scores.logsumexp(1) - scores[torch.arange(len(x)), labels]).mean()
