"""Pictures to train on, of secret classes, and what a training run asks for of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant

Rng = np.random.Generator

CLASSES = 10
SIDE = 32
MOST_SHIFT = 8


def border() -> int:
    """The byte around an image that was shifted."""
    return constant("BORDER", 0)


class Textures:
    """Ten secret classes of pictures: stripes of a direction, a width and a colour of their own."""

    def __init__(self, rng: Rng) -> None:
        angles = np.pi * (rng.permutation(CLASSES) + rng.uniform(0, 0.5, CLASSES)) / CLASSES
        periods = rng.uniform(4.0, 10.0, CLASSES)
        self.waves = (2 * np.pi / periods)[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
        self.colours = rng.uniform(-40.0, 40.0, (CLASSES, 3))


def pictures(
    rng: Rng, textures: Textures, count: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Bytes [count, side, side, 3] and their classes, with noise and a random phase in each."""
    labels = rng.integers(0, CLASSES, count)
    y, x = np.mgrid[:SIDE, :SIDE]
    waves = textures.waves[labels]
    phase = rng.uniform(0, 2 * np.pi, count)[:, None, None]
    stripes: Floats = np.sin(waves[:, 0, None, None] * y + waves[:, 1, None, None] * x + phase)
    values: Floats = 128 + 35 * stripes[..., None] + textures.colours[labels][:, None, None, :]
    values += rng.normal(0, 30, values.shape)
    return np.clip(values, 0, 255).astype(np.uint8), labels


def entries(rng: Rng, images: int, count: int) -> NDArray[np.int64]:
    """int64 [count, 4]: number of an image, shift down, shift right, whether it is mirrored."""
    samples = rng.integers(0, images, count)
    shifts = rng.integers(0, MOST_SHIFT + 1, (2, count))
    return np.stack([samples, *shifts, rng.integers(0, 2, count)], axis=1)
