"""Training images of hidden classes, and the entries of a training plan."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.compare import Floats
from hotloop.judge.constants import constant
from hotloop.judge.seeds import Rng

CLASSES = 10
SIDE = 32
MOST_SHIFT = 8


def border() -> int:
    """Return the byte around a shifted image."""
    return constant("BORDER", 0, range(1, 256))


class Textures:
    """Ten hidden classes of images: stripes, each with its own direction, width and color."""

    def __init__(self, rng: Rng) -> None:
        angles = np.pi * (rng.permutation(CLASSES) + rng.uniform(0, 0.5, CLASSES)) / CLASSES
        periods = rng.uniform(4.0, 10.0, CLASSES)
        self.waves = (2 * np.pi / periods)[:, None] * np.stack([np.cos(angles), np.sin(angles)], 1)
        self.colors = rng.uniform(-40.0, 40.0, (CLASSES, 3))


def pictures(
    rng: Rng, textures: Textures, count: int
) -> tuple[NDArray[np.uint8], NDArray[np.int64]]:
    """Return bytes [count, side, side, 3] and their classes, with noise and random phases."""
    labels = rng.integers(0, CLASSES, count)
    y, x = np.mgrid[:SIDE, :SIDE]
    waves = textures.waves[labels]
    phase = rng.uniform(0, 2 * np.pi, count)[:, None, None]
    stripes: Floats = np.sin(waves[:, 0, None, None] * y + waves[:, 1, None, None] * x + phase)
    values: Floats = 128 + 35 * stripes[..., None] + textures.colors[labels][:, None, None, :]
    values += rng.normal(0, 30, values.shape)
    return np.clip(values, 0, 255).astype(np.uint8), labels


def entries(rng: Rng, images: int, count: int) -> NDArray[np.int64]:
    """Return int64 [count, 4]: image number, shift down, shift right, whether it is mirrored."""
    samples = rng.integers(0, images, count)
    shifts = rng.integers(0, MOST_SHIFT + 1, (2, count))
    return np.stack([samples, *shifts, rng.integers(0, 2, count)], axis=1)
