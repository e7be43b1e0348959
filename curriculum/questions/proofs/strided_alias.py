"""Do two views share an element? A test that may say “perhaps”, an exact one, and the use of it."""

from __future__ import annotations

from itertools import product
from math import gcd

import numpy as np

View = tuple[int, int, int]
"""Offset, stride, count."""


# --8<-- [start:tests]
def bounds_say_apart(a: View, b: View) -> bool:
    """The intervals do not meet."""
    ends = [(offset, offset + stride * (count - 1)) for offset, stride, count in (a, b)]
    return ends[0][1] < ends[1][0] or ends[1][1] < ends[0][0]


def gcd_says_apart(a: View, b: View) -> bool:
    """a0 + i·s = b0 + j·t has no solution in integers at all."""
    return (b[0] - a[0]) % gcd(a[1], b[1]) != 0


def share(a: View, b: View) -> bool:
    """Exact, by looking."""
    elements = [set(range(o, o + s * n, s)) for o, s, n in (a, b)]
    return bool(elements[0] & elements[1])


# --8<-- [end:tests]


def shifted(length: int, loop: bool) -> list[int]:
    """x[1:] += x[:-1], as a loop from the left or as NumPy does it: reads come before writes."""
    x = np.ones(length, np.int64)
    if loop:
        for i in range(1, length):
            x[i] += x[i - 1]
    else:
        x[1:] += x[:-1]
    return x.tolist()


def main() -> None:
    """Try all small pairs of views."""
    views = list(product(range(6), range(1, 5), range(1, 5)))
    apart = by_bounds = by_gcd = by_both = 0
    for a, b in product(views, views):
        truth = not share(a, b)
        bounds, divisor = bounds_say_apart(a, b), gcd_says_apart(a, b)
        assert truth or not (bounds or divisor), "neither test may promise too much"
        apart += truth
        by_bounds += bounds
        by_gcd += divisor
        by_both += bounds or divisor
    print(f"{len(views) ** 2:,} pairs, {apart:,} share nothing; proved by bounds {by_bounds:,},")
    print(
        f"  by the common divisor {by_gcd:,}, by either {by_both:,}: “perhaps” for "
        f"{apart - by_both:,}"
    )
    assert max(by_bounds, by_gcd) < by_both < apart

    x = np.arange(20)
    even, odd = x[0::2], x[1::2]
    print(
        f"x[0::2] and x[1::2]: bounds say perhaps {np.may_share_memory(even, odd)}, exact "
        f"{np.shares_memory(even, odd)}"
    )
    assert np.may_share_memory(even, odd)
    assert not np.shares_memory(even, odd)
    grid = np.zeros((8, 8))
    left, right = grid[:, :4], grid[:, 4:]
    print(
        f"two halves of a matrix' columns: bounds {np.may_share_memory(left, right)}, exact "
        f"{np.shares_memory(left, right)}"
    )
    assert np.may_share_memory(left, right)
    assert not np.shares_memory(left, right)

    print(
        f"x[1:] += x[:-1] on ones: as a value {shifted(6, False)}, as a loop in place "
        f"{shifted(6, True)}"
    )
    assert shifted(6, False) == [1, 2, 2, 2, 2, 2]
    assert shifted(6, True) == [1, 2, 3, 4, 5, 6]
    backwards = np.ones(6, np.int64)
    for i in range(5, 0, -1):
        backwards[i] += backwards[i - 1]
    print(f"the same loop from the right, without a copy: {backwards.tolist()}")
    assert backwards.tolist() == shifted(6, False)


if __name__ == "__main__":
    main()
