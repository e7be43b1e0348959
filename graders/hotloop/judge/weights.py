"""Do two trained networks come from the same training?

Compared is what training did to each tensor: the way from its initial values to its trained ones.
Rounding makes small differences, and training makes them larger from step to step; skipped samples,
frozen layers, another resolution or another mode make ways that have little in common.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hotloop.judge.compare import Floats

STILL = 1e-3
"""Of the way that it should have gone: below this, a tensor was not trained at all."""


@dataclass(frozen=True)
class Entry:
    """One tensor of a network. weight: of a layer, and not a bias, a scale or a statistic."""

    name: str
    elements: int
    weight: bool


@dataclass(frozen=True)
class Agreement:
    """How far ways may part, as a share of the way's length.

    median: over all tensors. each: of every weight.
    """

    entries: Sequence[Entry]
    median: float
    each: float

    def disagreement(self, initial: Floats, got: Floats, want: Floats) -> str | None:
        """What is wrong with `got`, as a sentence's beginning; None when nothing is.

        All: float64 [elements of all entries].
        """
        if not np.isfinite(got).all():
            return "Some of the trained weights are not numbers, or were never written"
        parted: list[float] = []
        most = max(entry.elements for entry in self.entries)
        scratch = np.empty((2, most))
        start = 0
        for entry in self.entries:
            part = slice(start, start + entry.elements)
            start = part.stop
            way, gone = scratch[:, : entry.elements]
            np.subtract(want[part], initial[part], out=way)
            length = _length(way)
            if length == 0.0:
                continue
            np.subtract(got[part], initial[part], out=gone)
            if _length(gone) < STILL * length:
                return f"`{entry.name}` was not trained"
            gone -= way
            apart = _length(gone) / length
            if entry.weight and apart > self.each:
                return f"`{entry.name}` was not trained as it should be"
            parted.append(apart)
        if float(np.median(parted)) > self.median:
            return "The weights were not trained on just these samples, in these steps"
        return None


def _length(way: Floats) -> float:
    """By a product, which makes no other array of the size."""
    return float(np.sqrt(way @ way))
