"""The online recurrence in plain Python: blocks in any order and any grouping give one result."""

from __future__ import annotations

import itertools
import math
import random

State = tuple[float, float]
"""Maximum so far, and the sum of exp(x - maximum) so far."""

EMPTY: State = (-math.inf, 0.0)


# --8<-- [start:recurrence]
def merge(a: State, b: State) -> State:
    """The state of two parts together."""
    maximum = max(a[0], b[0])
    if maximum == -math.inf:
        return EMPTY  # nothing finite yet, and -inf - (-inf) would be NaN
    return maximum, a[1] * math.exp(a[0] - maximum) + b[1] * math.exp(b[0] - maximum)


def add(state: State, x: float) -> State:
    """One more element: a part with maximum x, whose only exponential is exp(x - x) = 1."""
    return merge(state, (x, 1.0 if x > -math.inf else 0.0))


# --8<-- [end:recurrence]


def two_passes(row: list[float]) -> State:
    """First the maximum, then the sum."""
    maximum = max(row)
    return maximum, math.fsum(math.exp(x - maximum) for x in row)


def one_by_one(row: list[float]) -> State:
    """From left to right."""
    state = EMPTY
    for x in row:
        state = add(state, x)
    return state


def as_a_tree(row: list[float]) -> State:
    """Halves first, as the threads of a kernel do."""
    if len(row) == 1:
        return add(EMPTY, row[0])
    middle = len(row) // 2
    return merge(as_a_tree(row[:middle]), as_a_tree(row[middle:]))


def main() -> None:
    """Compare the orders on a row with large numbers and -inf."""
    generator = random.Random(0)
    row = [generator.uniform(-500, 500) for _ in range(1000)] + [-math.inf] * 9
    generator.shuffle(row)
    wanted = two_passes(row)
    for name, got in (
        ("one by one", one_by_one(row)),
        ("backwards", one_by_one(row[::-1])),
        ("as a tree", as_a_tree(row)),
    ):
        error = abs(got[1] - wanted[1]) / wanted[1]
        print(f"{name}: maximum equal {got[0] == wanted[0]}, sum differs by {error:.1e}")
        assert got[0] == wanted[0]
        assert error < 1e-12
    assert one_by_one([-math.inf] * 5) == EMPTY
    print("a row of -inf only:", one_by_one([-math.inf] * 5))

    rising = [float(i) for i in range(100)]
    rescales = sum(b > a for a, b in itertools.pairwise(rising))
    unscaled = sum(math.exp(x - max(rising[: i + 1])) for i, x in enumerate(rising))
    print(f"rising row: {rescales} rescales; forgetting them gives {unscaled:.0f}", end="")
    print(f" instead of {two_passes(rising)[1]:.3f}")
    assert unscaled == 100.0


if __name__ == "__main__":
    main()
