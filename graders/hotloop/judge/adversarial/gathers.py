"""Indices for computations that access memory through them."""

import numpy as np

from hotloop.judge.adversarial.reductions import Places, places
from hotloop.judge.seeds import Rng


def indices(rng: Rng, size: int, count: int) -> Places:
    """Return `count` indices into `size` places: both ends, every lane, repeats, a decreasing run.

    A gather that clamps, wraps, sorts, drops repeats or is off by one is wrong for one of them.
    """
    positions = places(rng, size, count)
    if count >= 8:
        run = int(rng.integers(max(size - 3, 1)))
        positions[:3] = np.arange(run + 2, run - 1, -1) % size  # a decreasing run
        positions[3] = positions[2]  # an adjacent repeat
        positions[-1] = positions[4]  # a distant repeat
    return positions
