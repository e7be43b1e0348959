"""Rows for computations that carry a state along an axis, block by block: scans, running maxima.

Typical errors occur at a block boundary: a state that is not rescaled, added twice, lost after the
first block, or corrupted by an empty block.
"""

import numpy as np

from hotloop.judge.adversarial.reductions import places
from hotloop.judge.compare import Floats
from hotloop.judge.seeds import Rng

ROWS = 16


def staircases(
    rng: Rng, columns: int, rise: float, rows: int = ROWS, *, spread: float = 0.5
) -> Floats:
    """Return [rows, columns]: rows that rise by `rise` at random places; every second row falls.

    A running maximum increases at each place, so a sum that is not rescaled there keeps terms that
    are too large. With a rise of 1 to 8, the earlier elements still contribute to the sum; above
    104, they contribute nothing.
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
    """Return [rows, columns]: each row partly holds `nothing`, −∞ for a maximum or 0 for a sum.

    By turns, a row begins with it, ends with it, or has a gap of it. At least one element remains.
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
