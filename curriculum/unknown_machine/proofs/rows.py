"""How many lanes work where each has a row of its own, by how lengths are spread."""

from __future__ import annotations

import random

from hotloop.engines.accelerator import segments

ROWS, MEAN, LANES = 96, 5, 8


def steps(lengths: list[int]) -> int:
    """Steps of all groups of rows: each takes as many as its longest row."""
    return sum(max(lengths[at : at + LANES]) for at in range(0, ROWS, LANES))


def main() -> None:
    """Print a line for each spread."""
    least = ROWS * MEAN // LANES
    print(f"{ROWS} rows, {ROWS * MEAN} entries, {LANES} lanes: at least {least} steps")
    for spread in segments.SPREADS:
        lengths = segments.lengths(ROWS, MEAN, spread, random.Random(1))
        plain, ordered = steps(lengths), steps(sorted(lengths))
        print(
            f"{spread:5} longest {max(lengths):2}: {plain:3} steps, {least / plain:4.0%} of the "
            f"lanes work; by length {ordered:3} steps, {least / ordered:4.0%}"
        )
        assert least <= ordered <= plain


if __name__ == "__main__":
    main()
