"""Rows of different lengths, one behind the other, as sparse matrices and ragged batches have."""

from __future__ import annotations

import random

SPREADS = ("even", "tail", "two")
"""Lengths near the mean; most short and a few long; long and short ones by turns."""


def lengths(items: int, mean: int, spread: str, rng: random.Random) -> list[int]:
    """Return a length for each item, some of them 0, with items · mean as their sum."""
    if spread == "even":
        result = [rng.randint(mean - 2, mean + 2) for _ in range(items)]
    elif spread == "tail":
        result = [rng.randint(1, mean) for _ in range(items)]
        for at in rng.sample(range(items), max(1, items // 12)):
            result[at] = rng.randint(4 * mean, 6 * mean)
    else:
        result = [rng.randint(0, 2) if at % 2 else 2 * mean - 1 for at in range(items)]
    result[rng.randrange(items)] = 0
    while (more := items * mean - sum(result)) != 0:
        at = rng.randrange(items)
        if more > 0:
            result[at] += 1
        elif result[at] > 1:
            result[at] -= 1
    return result


def starts(lengths: list[int]) -> list[int]:
    """Return where each row begins, and where the last one ends."""
    result = [0]
    for length in lengths:
        result.append(result[-1] + length)
    return result


WORDS = {
    "even": "Most lengths are near the mean.",
    "tail": "Most rows are shorter than the mean, and one in twelve is several times as long.",
    "two": "Rows with even numbers are about twice as long as the mean, the others nearly empty.",
}
"""What the manual says of each spread."""
