"""Decides whether two trained networks come from the same training.

The comparison uses each tensor's update: trained minus initial values. Rounding causes small
differences, which grow from step to step. Skipped samples, frozen layers, another resolution or
another mode give updates that have little in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.judge.compare import Floats

STILL = 1e-3
"""A tensor whose update is shorter than this share of the expected one was not trained."""


@dataclass(frozen=True)
class Entry:
    """One tensor of a network. weight: False for biases, scales and statistics."""

    name: str
    elements: int
    weight: bool


@dataclass(frozen=True)
class Agreement:
    """Allowed distance between updates, as a share of the expected update's length.

    median: for the median over all tensors.
    each: for every weight.
    """

    entries: Sequence[Entry]
    median: float
    each: float

    def disagreement(self, initial: Floats, got: Floats, want: Floats) -> str | None:
        """Return what is wrong with `got` as the beginning of a sentence, or None.

        All arguments: float64 [elements of all entries].
        """
        if not np.isfinite(got).all():
            return "Some of the trained weights are not numbers, or were never written"
        distances: list[float] = []
        most = max(entry.elements for entry in self.entries)
        scratch = np.empty((2, most))
        start = 0
        for entry in self.entries:
            part = slice(start, start + entry.elements)
            start = part.stop
            expected, update = scratch[:, : entry.elements]
            np.subtract(want[part], initial[part], out=expected)
            length = _length(expected)
            if length == 0.0:
                continue
            np.subtract(got[part], initial[part], out=update)
            if _length(update) < STILL * length:
                return f"`{entry.name}` was not trained"
            update -= expected
            distance = _length(update) / length
            if entry.weight and distance > self.each:
                return f"`{entry.name}` was not trained as it should be"
            distances.append(distance)
        if float(np.median(distances)) > self.median:
            return "The weights were not trained on just these samples, in these steps"
        return None


def _length(vector: Floats) -> float:
    """Return the Euclidean norm by a dot product, which allocates no temporary array."""
    return float(np.sqrt(vector @ vector))
