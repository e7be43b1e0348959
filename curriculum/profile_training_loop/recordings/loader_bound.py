"""Loader-bound: one worker process turns picture by picture in Python, and the step waits for it.

How it shows: the range `load` is long, and nearly all of it is
`enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__`, in which no operator runs. The work
itself is in another process and in no trace of this one.
"""

from __future__ import annotations

import math
import random

import torch
from torch.utils.data import Dataset
from training_loop import DEVIATION, MEAN, Batch, Batches, Loop

MOST_DEGREES = 15


class OneByOne(Batches):
    """Turns each picture by an angle of its own: every pixel is reckoned in Python."""

    def __getitem__(self, chosen: torch.Tensor) -> Batch:
        pictures = [self._turned(self.pictures.images[sample]) for sample in chosen]
        inputs = torch.stack(pictures).movedim(3, 1).sub_(MEAN).div_(DEVIATION)
        return inputs, self.pictures.labels[chosen]

    def _turned(self, image: torch.Tensor) -> torch.Tensor:
        side, pixels = image.shape[0], image.tolist()
        angle = math.radians(random.uniform(-MOST_DEGREES, MOST_DEGREES))
        across, up, middle = math.cos(angle), math.sin(angle), (side - 1) / 2
        turned: list[list[float]] = []
        for row in range(side):
            for column in range(side):
                y = middle + across * (row - middle) + up * (column - middle)
                x = middle - up * (row - middle) + across * (column - middle)
                turned.append(_between(pixels, y, x))
        return torch.tensor(turned).view(image.shape)


def _between(pixels: list[list[list[float]]], y: float, x: float) -> list[float]:
    """The color at a place between four pixels; outside of the picture, that of its edge."""
    y, x = (min(max(place, 0.0), len(pixels) - 1.001) for place in (y, x))
    top, left = int(y), int(x)
    below, beside = y - top, x - left
    return [
        (1 - below) * ((1 - beside) * a + beside * b) + below * ((1 - beside) * c + beside * d)
        for a, b, c, d in zip(
            pixels[top][left],
            pixels[top][left + 1],
            pixels[top + 1][left],
            pixels[top + 1][left + 1],
            strict=True,
        )
    ]


class LoaderBound(Loop):
    """The worker does more than the step."""

    prefetched = 2  # used up before the recording begins

    def dataset(self) -> Dataset[Batch]:
        """Picture by picture."""
        return OneByOne(self.pictures)
