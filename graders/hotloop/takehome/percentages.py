"""Shares of a whole as percentages that add up."""

from __future__ import annotations

from collections.abc import Mapping


def percentages(weights: Mapping[str, float]) -> dict[str, int]:
    """Of each name, in whole percent; together 100. What rounding down leaves over goes to those
    that lost the most by it, of equal ones to the earlier.
    """
    total = sum(weights.values())
    exact = {name: 100 * weight / total for name, weight in weights.items()}
    found = {name: int(share) for name, share in exact.items()}
    left = 100 - sum(found.values())
    # Twelve digits: equal weights must not be told apart by how a computer divides.
    by_loss = sorted(exact, key=lambda name: round(found[name] - exact[name], 12))
    for name in by_loss[:left]:
        found[name] += 1
    return found
