"""Rows for computations that carry a state along an axis, block by block: scans, running maxima.

What can be wrong there is wrong at a border: a state that is not rescaled, taken over twice, lost
behind the first block, or spoiled by a block in which there is nothing.
"""

import numpy as np

from hotloop.judge.adversarial.reductions import Floats, Rng, places

ROWS = 16


def staircases(
    rng: Rng, columns: int, rise: float, rows: int = ROWS, *, spread: float = 0.5
) -> Floats:
    """[rows, columns]: numbers that rise by `rise` at drawn places; every second row falls instead.

    A running maximum grows at each place, so that a sum that is not rescaled there keeps terms that
    are too large. A rise of 1 to 8 leaves the earlier numbers a share of the sum; one above 104
    leaves them none.
    """
    x: Floats = spread * rng.standard_normal((rows, columns))
    for row in range(rows):
        steps = places(rng, columns, int(rng.integers(1, 9)))
        x[row] += rise * (np.arange(columns)[:, None] >= np.sort(steps)).sum(axis=1)
    x[1::2] = x[1::2, ::-1]
    return x


def late_starts(
    rng: Rng, columns: int, nothing: float, rows: int = ROWS, *, spread: float = 1.0
) -> Floats:
    """[rows, columns]: rows that hold `nothing` (−∞ of a maximum, 0 of a sum) up to a drawn place.

    Rows end with it, have a gap of it, or begin with it, in turn. At least one element remains.
    """
    x: Floats = spread * rng.standard_normal((rows, columns))
    starts = places(rng, columns, rows)
    for row, start in enumerate(starts):
        kind = row % 3
        if kind == 0:
            x[row, :start] = nothing
        elif kind == 1:
            x[row, start + 1 :] = nothing
        else:
            end = int(rng.integers(int(start), columns + 1))
            keep = float(x[row, start])
            x[row, start:end] = nothing
            if not np.any(x[row] != nothing):
                x[row, start] = keep
    return x
