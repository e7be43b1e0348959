"""Made data: one drawn shape a picture, and a caption that says what it is.

A sample is made from its number alone, so that every process can make it for itself and nothing is
downloaded. A picture is float32 [3, 16, 16] with values between 0 and 1; a caption is 8 tokens,
int64, that begin with START and end with END.
"""

from functools import cache

import numpy as np
import torch

SIDE, TOKENS = 16, 8
WORDS = "pad start end a small large red green blue yellow square disc cross stripes left right"
VOCABULARY = WORDS.split()
COLORS = {"red": (1, 0, 0), "green": (0, 1, 0), "blue": (0, 0, 1), "yellow": (1, 1, 0)}
SHAPES = ("square", "disc", "cross", "stripes")


@cache
def sample(number):
    """Picture and caption of one number, from 0 up."""
    rng = np.random.default_rng(number)
    size, color = rng.choice(["small", "large"]), rng.choice(list(COLORS))
    shape, place = rng.choice(SHAPES), rng.choice(["left", "right"])
    radius = 3 if size == "small" else 5
    center = (8 + rng.integers(-2, 3), (5 if place == "left" else 11) + rng.integers(-1, 2))
    picture = np.full((3, SIDE, SIDE), 0.1, np.float32)
    picture[:, inside(shape, center, radius)] = np.array(COLORS[color])[:, None]
    words = ["start", "a", size, color, shape, place, "end", "pad"]
    caption = [VOCABULARY.index(word) for word in words]
    return torch.from_numpy(picture), torch.tensor(caption)


def inside(shape, center, radius):
    """Which pixels belong to the shape: bool [16, 16]."""
    rows, columns = np.mgrid[:SIDE, :SIDE]
    down, across = np.abs(rows - center[0]), np.abs(columns - center[1])
    box = (down <= radius) & (across <= radius)
    if shape == "disc":
        return down**2 + across**2 <= radius**2
    if shape == "cross":
        return box & ((down <= 1) | (across <= 1))
    return box & (rows % 2 == 0) if shape == "stripes" else box


def batch(numbers):
    """Pictures [N, 3, 16, 16] and captions [N, 8] of several samples."""
    pictures, captions = zip(*map(sample, numbers), strict=True)
    return torch.stack(pictures), torch.stack(captions)


def words(caption):
    """A caption as people read it."""
    return " ".join(VOCABULARY[token] for token in caption[1:6])
