"""Rows for reductions along the last axis: one random element determines each row's result.

A kernel that skips part of the axis is wrong in the rows whose determining element lies there. 64
rows reach every part that `reached` in the tests lists; fewer rows reach the ends first.
"""

import numpy as np
from numpy.typing import NDArray

from hotloop.judge.compare import Floats
from hotloop.judge.seeds import Rng

Places = NDArray[np.int64]

ROWS = 64
"""This many rows reach all ends, lanes and warps; see `places`."""

_BLOCKS = (4, 32, 128, 256, 512, 1024, 4096, 8192)
"""Elements of a vector load, a warp, and the usual block sizes of kernels."""

_EIGHTHS = 8

_TRIED = 64
"""Random positions tried for each second element; the one that shares the fewest parts is used."""

_CANDIDATES = 4096
"""Maximum number of positions among which the determining ones are chosen."""


def odd(rng: Rng, low: int, high: int) -> int:
    """Return an odd number in the range, which no block size divides."""
    return int(rng.integers(low, high)) | 1


def places(rng: Rng, length: int, count: int = ROWS) -> Places:
    """Return `count` positions along an axis of `length` elements, in random order.

    The ends come first: the first and last element, and those next to the largest power of two and
    to the last whole block of each usual size. The others reach every lane (position mod 32), every
    warp of a block, every part of larger blocks, and every eighth of the axis.
    """
    ends = _ends(length)[:count]
    others = _covering(rng, length, count - len(ends))
    return rng.permutation(np.concatenate([ends, others]))


def spikes(
    rng: Rng, columns: int, height: float, rows: int = ROWS, *, spread: float = 1.0
) -> Floats:
    """Return [rows, columns]: normal numbers, with one element per row raised by `height`.

    A maximum that skips the element is too small by about `height`, a sum by all of it. For
    exponentials use more than 104: in float32, they then overflow if the maximum misses the
    element.
    """
    x = spread * rng.standard_normal((rows, columns))
    x[np.arange(rows), places(rng, columns, rows)] += height
    return x


def lifted(rng: Rng, columns: int, height: float, rows: int = 8, *, spread: float = 1.0) -> Floats:
    """Return [rows, columns]: rows alternately near +height and −height, their elements close.

    A maximum that starts at 0 instead of −∞, or out-of-row lanes that hold 0, determine the rows at
    −height; an exponential without subtraction of the maximum overflows in those at +height. In a
    sum of similar elements every element matters, and a low-precision accumulator stops growing.
    """
    signs = np.where(np.arange(rows) % 2 == 0, -1.0, 1.0)
    return height * signs[:, None] + spread * rng.uniform(-1.0, 1.0, (rows, columns))


def opposites(
    rng: Rng, columns: int, height: float, rows: int = ROWS, *, spread: float = 1.0
) -> Floats:
    """Return [rows, columns]: normal numbers, and in each row +height and −height, which cancel.

    A sum that skips one of the two is off by `height`; in low precision it loses the other
    elements; a sum of magnitudes is larger by twice the height. If the row is long enough, the two
    share no lane, warp or part, since a kernel that skips both has no error. At least 2 columns.
    """
    x = spread * rng.standard_normal((rows, columns))
    own = np.arange(rows)
    first = places(rng, columns, rows)
    second = _far_from(rng, first, columns)
    x[own, first], x[own, second] = height, -height
    return x


def _far_from(rng: Rng, first: Places, length: int) -> Places:
    """Return for each position another that shares the fewest lanes, warps and parts with it."""
    shifts = rng.integers(1, length, (len(first), _TRIED))
    tried = (first[:, None] + shifts) % length
    labels = _labels(tried.ravel(), length).reshape(len(first), _TRIED, -1)
    common = (labels == _labels(first, length)[:, None]).sum(axis=2)
    return tried[np.arange(len(first)), common.argmin(axis=1)]


def _ends(length: int) -> Places:
    """Return the first and last element, and both sides of each block boundary near the end."""
    half = 1 << max(length - 1, 1).bit_length() - 1
    found = [length - 1, 0, half, half - 1]
    for block in _BLOCKS:
        last = length - length % block
        found += [last, last - 1]
    inside = dict.fromkeys(place for place in found if 0 <= place < length)
    return np.array(list(inside), np.int64)


def _covering(rng: Rng, length: int, count: int) -> Places:
    """Choose random positions greedily: each reaches the most parts not reached so far."""
    if length <= _CANDIDATES:
        candidates = rng.permutation(length)
    else:
        candidates = rng.integers(length, size=_CANDIDATES)
    labels = _labels(candidates, length)
    missing = np.ones(int(labels.max()) + 1, np.bool_)
    known = np.unique(labels)
    chosen: list[int] = []
    for _ in range(count):
        gains = missing[labels].sum(axis=1)
        best = int(np.argmax(gains))
        if gains[best] == 0:
            missing[known] = True
            best = int(rng.integers(len(candidates)))
        missing[labels[best]] = False
        chosen.append(int(candidates[best]))
    return np.array(chosen, np.int64)


def _labels(positions: Places, length: int) -> Places:
    """Return [positions, kinds]: the number of the lane, of the warp, … of each position."""
    kinds = (
        positions % 32,
        positions // 32 % 8,
        positions // 256 % 4,
        positions // 1024 % 8,
        positions * _EIGHTHS // length,
    )
    sizes = (32, 8, 4, 8, _EIGHTHS)
    starts = np.cumsum((0, *sizes[:-1]))
    return np.stack([kind + start for kind, start in zip(kinds, starts, strict=True)], axis=1)
