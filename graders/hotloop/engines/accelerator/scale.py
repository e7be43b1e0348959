"""The open scale of a kernel: from the naive program to a bound that no program reaches."""

from __future__ import annotations

import math


def score(cycles: int, naive: int, bound: int) -> float:
    """Return the share of the way from the naive program to the bound, on a logarithmic scale.

    It is 0 for the naive program, and below 1 as no program reaches the bound.
    """
    return math.log(naive / cycles) / math.log(naive / bound)
