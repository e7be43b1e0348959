"""Rows for reductions along their last axis: each row's result hangs on one drawn element.

Whoever leaves out a part of the axis is wrong in the rows whose deciding element lies in that part.
64 rows reach every part that `reached` in the tests lists; fewer rows reach the ends first.
"""

import numpy as np
from numpy.typing import NDArray

Rng = np.random.Generator
Floats = NDArray[np.float64]
Places = NDArray[np.int64]

ROWS = 64
"""So many rows reach all ends, lanes and warps; see `places`."""

_BLOCKS = (4, 32, 128, 256, 512, 1024, 4096, 8192)
"""Elements of a vector load, a warp, and of the blocks that kernels are launched with."""

_EIGHTHS = 8

_TRIED = 64
"""Positions of which the one that has least in common with another is taken."""

_CANDIDATES = 4096
"""Positions among which the deciding ones are chosen."""


def places(rng: Rng, length: int, count: int = ROWS) -> Places:
    """`count` positions along an axis of `length` elements, in random order.

    The ends come first: the first and the last element, and those beside the largest power of two
    and beside the last whole block of each usual size. The others reach every lane (position mod
    32), every warp of a block, every part of larger blocks, and every eighth of the axis.
    """
    ends = _ends(length)[:count]
    others = _covering(rng, length, count - len(ends))
    return rng.permutation(np.concatenate([ends, others]))


def spikes(
    rng: Rng, columns: int, height: float, rows: int = ROWS, *, spread: float = 1.0
) -> Floats:
    """[rows, columns]: normal numbers, and one element a row that is `height` larger.

    A maximum that misses the element is too small by about `height`, a sum by all of it. For
    exponentials take more than 104: in float32 what a shift is missing then overflows.
    """
    x = spread * rng.standard_normal((rows, columns))
    x[np.arange(rows), places(rng, columns, rows)] += height
    return x


def lifted(rng: Rng, columns: int, height: float, rows: int = 8, *, spread: float = 1.0) -> Floats:
    """[rows, columns]: whole rows at +height and −height in turn, their elements close together.

    A maximum that starts at 0 instead of −∞, or lanes outside of the row that hold 0, decide the
    rows at −height; an exponential without its maximum overflows in those at +height. In a sum of
    elements that are alike, none may be missing, and a narrow type stops growing.
    """
    signs = np.where(np.arange(rows) % 2 == 0, -1.0, 1.0)
    return height * signs[:, None] + spread * rng.uniform(-1.0, 1.0, (rows, columns))


def opposites(
    rng: Rng, columns: int, height: float, rows: int = ROWS, *, spread: float = 1.0
) -> Floats:
    """[rows, columns]: normal numbers, and in each row +height and −height, which cancel in a sum.

    A sum that misses one of the two is off by `height`; in a narrow type it loses the other
    elements to them; one of magnitudes has twice the height. The two share no lane, warp or part
    where the row is long enough: who misses both has lost nothing. At least 2 columns.
    """
    x = spread * rng.standard_normal((rows, columns))
    own = np.arange(rows)
    first = places(rng, columns, rows)
    second = _far_from(rng, first, columns)
    x[own, first], x[own, second] = height, -height
    return x


def _far_from(rng: Rng, first: Places, length: int) -> Places:
    """For each position another one that shares the fewest lanes, warps and parts with it."""
    shifts = rng.integers(1, length, (len(first), _TRIED))
    tried = (first[:, None] + shifts) % length
    labels = _labels(tried.ravel(), length).reshape(len(first), _TRIED, -1)
    common = (labels == _labels(first, length)[:, None]).sum(axis=2)
    return tried[np.arange(len(first)), common.argmin(axis=1)]


def _ends(length: int) -> Places:
    """The first and last element, and both sides of every border near the end of the axis."""
    half = 1 << max(length - 1, 1).bit_length() - 1
    found = [length - 1, 0, half, half - 1]
    for block in _BLOCKS:
        last = length - length % block
        found += [last, last - 1]
    inside = dict.fromkeys(place for place in found if 0 <= place < length)
    return np.array(list(inside), np.int64)


def _covering(rng: Rng, length: int, count: int) -> Places:
    """Of random positions always the one that reaches most of what none has reached yet."""
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
    """[positions, kinds]: the number of the lane, of the warp, … that each one lies in."""
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
