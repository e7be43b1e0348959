"""The augmentation: float64 reference, hidden cases and timed inputs."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.adversarial.gathers import indices
from hotloop.judge.calls import CallSpec, PlacedCall, TensorSpec
from hotloop.judge.checks.correct import Case, InputTensor
from hotloop.judge.compare import Floats, Tolerance
from hotloop.judge.dtypes import FP32, I64, U8
from hotloop.judge.gpu.recipes import Draw, Whole
from hotloop.judge.gpu.workload import DeviceWorkload
from hotloop.judge.seeds import Rng
from hotloop.judge.verification import all_agrees
from hotloop.judge.window import Workload
from hotloop.tasks.modules.profile_training_loop.pictures import MOST_SHIFT, SIDE, border, entries

TIMED_IMAGES, TIMED_BATCH = 96, 32
GPU_IMAGES, GPU_BATCH = 10_000, 16_384

MEAN = np.array([125.3, 123.0, 113.9])
DEVIATION = np.array([63.0, 62.1, 66.7])
TOLERANCE = Tolerance(relative=1e-5, absolute=1e-5)
"""A byte minus its mean, if both are close, keeps few of float32's digits."""


def augmented(images: Floats, rows: Floats) -> Floats:
    """Return float64 [m, 3, side, side] from bytes [n, side, side, 3] and entries [m, 4]."""
    padded = np.pad(images, ((0, 0), (4, 4), (4, 4), (0, 0)), constant_values=border())
    side = images.shape[1]
    results: list[Floats] = []
    for sample, down, right, mirrored in rows.astype(np.int64):
        cut = padded[sample, down : down + side, right : right + side]
        results.append(cut[:, ::-1] if mirrored else cut)
    return np.moveaxis((np.stack(results) - MEAN) / DEVIATION, 3, 1)


def cases(rng: Rng) -> Iterator[Case]:
    """Yield one to 33 images, some of them used more than once, with shifts to every edge.

    The last case has each pair of shifts from minimum, middle and maximum, mirrored and not, and
    includes the first and the last image.
    """
    yield _case(rng, "one image", 3, entries(rng, 3, 1))
    yield _case(rng, "a batch", 40, entries(rng, 40, 33))
    yield _case(rng, "the same image several times", 1, entries(rng, 1, 9))
    yield _case(rng, "shifts to every edge", 6, _to_every_edge(rng, 6))


def tolerance(_case: Case) -> Tolerance:
    """Return the same tolerance for every case."""
    return TOLERANCE


def fewest_bytes(spec: CallSpec) -> int:
    """Return the bytes of reading one byte and writing four for each number of the result."""
    return spec.out.bytes * 5 // 4


def _case(rng: Rng, label: str, n: int, rows: NDArray[np.int64]) -> Case:
    images = rng.integers(0, 256, (n, SIDE, SIDE, 3))
    out = TensorSpec((len(rows), 3, SIDE, SIDE), FP32)
    return Case(label, (InputTensor(images, U8), InputTensor(rows, I64)), out)


def _to_every_edge(rng: Rng, n: int) -> NDArray[np.int64]:
    """Return 18 entries; see `cases`."""
    shifts = (0, MOST_SHIFT // 2, MOST_SHIFT)
    rows = rng.permutation(np.array(list(product((0,), shifts, shifts, (0, 1))), np.int64))
    rows[:, 0] = indices(rng, n, len(rows))
    return rows


def _spec(images: int, batch: int) -> CallSpec:
    inputs = (TensorSpec((images, SIDE, SIDE, 3), U8), TensorSpec((batch, 4), I64))
    return CallSpec(inputs, TensorSpec((batch, 3, SIDE, SIDE), FP32))


def _fill(rng: Rng, call: PlacedCall, hostile: bool) -> None:
    images, rows = call.inputs()
    images[...] = rng.integers(0, 256, images.shape, dtype=np.uint8)
    rows[...] = entries(rng, len(images), len(rows))
    if hostile:
        rows[:, 1:3] = rng.choice([0, MOST_SHIFT], (len(rows), 2))


TIMED = Workload(
    lambda _rng, _index: _spec(TIMED_IMAGES, TIMED_BATCH), _fill, all_agrees(augmented, TOLERANCE)
)
"""Batches of TIMED_BATCH images."""


def written_bytes(spec: CallSpec) -> int:
    """Return the bytes of the result only; on a GPU, the input may already be in the L2 cache."""
    return spec.out.bytes


def _augmented_on_device(images: Any, rows: Any) -> Any:
    """Compute `augmented` on float64 torch tensors, by gathering each number's source pixel."""
    side = images.shape[1]
    sample, down, right, mirrored = rows.long().unbind(1)
    places = rows.new_tensor(range(side)).long()
    columns = places + mirrored[:, None] * (side - 1 - 2 * places)
    y = (places + down[:, None] - MOST_SHIFT // 2)[:, :, None]
    x = (columns + right[:, None] - MOST_SHIFT // 2)[:, None, :]
    inside = (y >= 0) & (y < side) & (x >= 0) & (x < side)
    pixels = images[sample[:, None, None], y.clamp(0, side - 1), x.clamp(0, side - 1)]
    pixels = pixels.masked_fill(~inside[..., None], border())
    mean, deviation = (images.new_tensor(values) for values in (MEAN, DEVIATION))
    return ((pixels - mean) / deviation).movedim(3, 1)


def _draws(_rng: Rng, _spec: CallSpec, hostile: bool) -> tuple[Draw, Draw]:
    """Return how to sample the inputs. hostile: each shift is the minimum or the maximum."""
    shift = (2, MOST_SHIFT) if hostile else (MOST_SHIFT + 1, 1)
    return Whole(((256, 1),)), Whole(((GPU_IMAGES, 1), shift, shift, (2, 1)))


ON_GPU = DeviceWorkload(
    lambda _rng, _index: _spec(GPU_IMAGES, GPU_BATCH),
    _draws,
    _augmented_on_device,
    lambda _spec: TOLERANCE,
)
"""Batches of GPU_BATCH images out of GPU_IMAGES, all in device memory."""
