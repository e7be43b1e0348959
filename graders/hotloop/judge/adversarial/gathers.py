"""Indices for computations that address memory through them."""

import numpy as np

from hotloop.judge.adversarial.reductions import Places, Rng, places


def indices(rng: Rng, size: int, count: int) -> Places:
    """`count` indices into `size` places: both ends, every lane, repeats, a run that falls.

    A gather that clamps, wraps, sorts, drops repeats or reads one place beside is wrong somewhere.
    """
    found = places(rng, size, count)
    if count >= 8:
        run = int(rng.integers(max(size - 3, 1)))
        found[:3] = np.arange(run + 2, run - 1, -1) % size  # a run that falls
        found[3] = found[2]  # a repeat beside
        found[-1] = found[4]  # and one far away
    return found
