"""Pictures of noisy stripes: their direction is the class."""

import numpy as np

SIDE, CLASSES = 16, 4
NOISE = 1.2


def drawn(seed, count, noise=NOISE):
    """float32 [count, 3, 16, 16] and int64 [count]: 0 upright, 1 and 3 slanting, 2 lying."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, CLASSES, count)
    angle = labels * np.pi / CLASSES + rng.normal(0, 0.1, count)
    length, phase = rng.uniform(3, 6, count), rng.uniform(0, 2 * np.pi, count)
    y, x = np.mgrid[:SIDE, :SIDE]
    along = np.multiply.outer(np.cos(angle), x) + np.multiply.outer(np.sin(angle), y)
    waves = np.sin(2 * np.pi * along / length[:, None, None] + phase[:, None, None])
    colors = rng.normal(0, 1, (count, 3, 1, 1))
    colors *= 1.2 / np.linalg.norm(colors, axis=1, keepdims=True)
    images = colors * waves[:, None] + rng.normal(0, noise, (count, 3, SIDE, SIDE))
    return images.astype("float32"), labels
