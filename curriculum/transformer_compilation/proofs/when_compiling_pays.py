"""Rent or buy: never more than twice the best that one could have known. With supposed prices."""

from __future__ import annotations

import math

COMPILE_S, EAGER_S, COMPILED_S, LOAD_S = 1.2, 0.020, 0.005, 0.1
"""Supposed: compiling, a call eagerly, a call compiled, loading what was compiled before."""


# --8<-- [start:wait]
def spent(calls: int, wait: int, price: float = COMPILE_S) -> float:
    """Seconds of so many calls, if one compiles after `wait` of them."""
    if calls <= wait:
        return calls * EAGER_S
    return wait * EAGER_S + price + (calls - wait) * COMPILED_S
    # --8<-- [end:wait]


def best(calls: int, price: float = COMPILE_S) -> float:
    """Of one who knows how many calls there will be."""
    return min(calls * EAGER_S, price + calls * COMPILED_S)


def worst(wait: int) -> float:
    """The largest ratio to the best, over all numbers of calls."""
    return max(spent(calls, wait) / best(calls) for calls in range(1, 5000))


def main() -> None:
    """Print ratios."""
    even = math.ceil(COMPILE_S / (EAGER_S - COMPILED_S))
    print(f"break-even after {even} calls")
    assert even == 80
    for wait in (0, 10, even, 4 * even):
        print(f"compile after {wait:3} eager calls: at worst {worst(wait):5.2f} times the optimum")
    assert worst(even) < 2 < worst(0)
    assert worst(even) < worst(4 * even)
    print(f"one call, compiled at once: {spent(1, 0) / best(1):.0f} times as long")
    lives, calls = 20, 40
    jit = lives * spent(calls, 0)
    cached = COMPILE_S + (lives - 1) * LOAD_S + lives * calls * COMPILED_S
    eager = lives * calls * EAGER_S
    print(
        f"{lives} processes of {calls} calls: compiled in each {jit:.1f} s, eager {eager:.1f} s, "
        f"compiled once and loaded {cached:.1f} s"
    )
    assert cached < eager < jit


if __name__ == "__main__":
    main()
