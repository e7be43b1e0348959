"""One sum in several orders: the longest chain of roundings decides; algebra undoes a repair."""

from __future__ import annotations

import math

import numpy as np

UNIT = 2.0**-24
Floats = np.ndarray[tuple[int, ...], np.dtype[np.float32]]


def chain(n: int, lanes: int) -> int:
    """Roundings on the longest way of a number to the sum: along a lane, then over the lanes."""
    return math.ceil(n / lanes) - 1 + math.ceil(math.log2(lanes))


# --8<-- [start:orders]
def in_lanes(x: Floats, lanes: int) -> np.float32:
    """As a vector unit does: a sum a lane in the given order, then a tree over the lanes."""
    sums: Floats = np.add.accumulate(x.reshape(-1, lanes), axis=0, dtype=np.float32)[-1]
    while len(sums) > 1:
        sums = sums[: len(sums) // 2] + sums[len(sums) // 2 :]
    return np.float32(sums[0])


def compensated(x: Floats, simplified: bool) -> np.float32:
    """Kahan's sum; simplified as algebra allows, since (t - s) - y is zero for real numbers."""
    total = lost = np.float32(0)
    for value in x:
        y = np.float32(value - lost)
        t = np.float32(total + y)
        lost = np.float32(0) if simplified else np.float32(np.float32(t - total) - y)
        total = t
    return np.float32(total)


# --8<-- [end:orders]


def main() -> None:
    """Errors beside their bounds."""
    rng = np.random.default_rng(0)
    a, b, c = (rng.random(1_000_000, dtype=np.float32) for _ in range(3))
    apart = np.count_nonzero((a + b) + c != a + (b + c)) / len(a)
    print(f"(a + b) + c differs from a + (b + c) for {apart:.0%} of random triples")
    assert 0.1 < apart < 0.5

    x = rng.random(1 << 20, dtype=np.float32)
    exact = math.fsum(x.tolist())
    errors: list[float] = []
    for lanes in (1, 8, 64, 1 << 20):
        error = abs(float(in_lanes(x, lanes)) - exact) / exact / UNIT
        bound = chain(len(x), lanes)
        errors.append(error)
        print(f"{lanes:9,} lanes: {error:9,.1f} units off, never more than {bound:,}")
        assert error <= bound
    assert errors[0] > errors[1] > errors[2] > errors[3]

    short = x[: 1 << 16]
    exact = math.fsum(short.tolist())
    plain, kept, undone = (
        abs(float(value) - exact) / exact / UNIT
        for value in (in_lanes(short, 1), compensated(short, False), compensated(short, True))
    )
    print(f"65,536 numbers: plain {plain:.0f}, compensated {kept:.1f}, simplified {undone:.0f}")
    assert kept <= 2
    assert undone == plain, "with reassociation the compensation is gone"
    big = np.float32(1e8)
    left, right = (big + np.float32(1)) - big, (big - big) + np.float32(1)
    print(f"(1e8 + 1) - 1e8 = {left:g}, (1e8 - 1e8) + 1 = {right:g}")
    assert (left, right) == (0, 1)


if __name__ == "__main__":
    main()
