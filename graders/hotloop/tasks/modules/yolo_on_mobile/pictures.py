"""Letterboxing of camera frames to square inputs, and boxes mapped back to the frame."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from hotloop.core.wire import as_list
from hotloop.judge.calls import TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.constants import constant
from hotloop.judge.dtypes import FP32, U8
from hotloop.judge.questions import Question, number_mismatch, shown

Rng = np.random.Generator

PADDING = 114
SIDES = (96, 128, 160)
MOST_OFF = 2e-4
"""In units of a pixel's 0 to 1 range: a twentieth of a byte. The error of float32 alone is less
than 1e-6."""

BOXES = 60
NEAR_HALF = 1e-6


@dataclass(frozen=True)
class Place:
    """A frame's place in its square, in pixels.

    The frame is resized to `tall` × `wide`, with `above` rows and `before` columns of padding in
    front of it.
    """

    tall: int
    wide: int
    above: int
    before: int


def place(height: int, width: int, side: int) -> Place:
    """Compute the place by the notebook's rule: scale the longer edge to `side`, then center."""
    scale = side / max(height, width)
    tall, wide = round(height * scale), round(width * scale)
    return Place(tall, wide, (side - tall) // 2, (side - wide) // 2)


def cases(rng: Rng) -> Iterator[Case]:
    """Yield wide, tall and square frames, larger and smaller than the network's input."""
    for label, low, high in (
        ("a wide frame", 0.4, 0.9),
        ("a tall frame", 1.1, 2.3),
        ("a square frame", 1.0, 1.0),
        ("a wide frame, small", 0.5, 0.9),
        ("a tall frame, odd", 1.2, 1.9),
    ):
        side = int(rng.choice(SIDES))
        least, most = (40, side - 8) if "small" in label else (side + 9, 3 * side)
        height, width = _size(rng, least, most, rng.uniform(low, high), side)
        frame = rng.integers(0, 256, (height, width, 3), np.uint8)
        out = TensorSpec((3, side, side), FP32)
        yield Case(label, (InputTensor(frame, U8), side), out)


def truth(frame: Floats, side: float) -> Floats:
    """Return the letterboxed image: float64 [3, side, side], RGB, from 0 to 1."""
    height, width, _ = frame.shape
    put = place(height, width, int(side))
    rows, columns = _weights(height, put.tall), _weights(width, put.wide)
    small = np.einsum("ih,hwc,jw->cij", rows, frame[..., ::-1], columns, optimize=True)
    padding = float(constant("PAD", PADDING, range(256)))
    picture = np.full((3, int(side), int(side)), padding)
    picture[:, put.above : put.above + put.tall, put.before : put.before + put.wide] = small
    return picture / 255


def tolerance(_case: Case) -> Tolerance:
    """Return the absolute tolerance MOST_OFF for every image."""
    return Tolerance(0.0, MOST_OFF)


def questions(rng: Rng) -> Iterator[Question]:
    """Yield boxes within the image, and every third one may reach into the padding or beyond."""
    for number in range(BOXES):
        side = int(rng.choice(SIDES))
        height, width = _size(rng, 90, 700, rng.uniform(0.4, 2.4), side)
        put = place(height, width, side)
        beyond = 0.3 if number % 3 == 0 else 0.0
        across = np.sort(put.before + put.wide * rng.uniform(-beyond, 1 + beyond, 2))
        down = np.sort(put.above + put.tall * rng.uniform(-beyond, 1 + beyond, 2))
        box = tuple(float(x) for x in (across[0], down[0], across[1], down[1]))
        want = back(box, height, width, side)
        label = "A box that reaches beyond the frame" if beyond else "A box"
        label = f"{label}, frame {width}×{height}"
        yield Question(label, (*box, height, width, side), partial(_mismatch, want))


def back(box: tuple[float, ...], height: int, width: int, side: int) -> list[float]:
    """Return the box as [left, top, right, bottom] in the frame's pixels, clipped to the frame."""
    put = place(height, width, side)
    across = [(x - put.before) * width / put.wide for x in (box[0], box[2])]
    down = [(y - put.above) * height / put.tall for y in (box[1], box[3])]
    return [
        float(np.clip(across[0], 0, width)),
        float(np.clip(down[0], 0, height)),
        float(np.clip(across[1], 0, width)),
        float(np.clip(down[1], 0, height)),
    ]


def _mismatch(want: list[float], answer: object) -> str | None:
    got = as_list(answer)
    if len(got) != 4:
        return f"it is {shown(answer)}, not a list of four numbers"
    for name, value, expected in zip(("left", "top", "right", "bottom"), got, want, strict=True):
        mismatch = number_mismatch(name, value, expected, 1e-6, 1e-3)
        if mismatch is not None:
            return mismatch
    return None


def _size(rng: Rng, least: int, most: int, ratio: float, side: int) -> tuple[int, int]:
    """Sample height and width with height / width near `ratio`, and no resized size near a half."""
    while True:
        longer = int(rng.integers(least, most + 1))
        height, width = (
            (longer, max(8, round(longer / ratio)))
            if ratio > 1
            else (max(8, round(longer * ratio)), longer)
        )
        sizes = np.array([height, width]) * side / max(height, width)
        if (np.abs(sizes % 1 - 0.5) > NEAR_HALF).all():
            return height, width


def _weights(size: int, new: int) -> Floats:
    """Return the weight of each old pixel in each new one: bilinear, half-pixel centers."""
    at = np.clip((np.arange(new) + 0.5) * size / new - 0.5, 0, size - 1)
    low = np.minimum(np.floor(at).astype(int), size - 1)
    high = np.minimum(low + 1, size - 1)
    weights = np.zeros((new, size))
    weights[np.arange(new), low] += 1 - (at - low)
    weights[np.arange(new), high] += at - low
    return weights
