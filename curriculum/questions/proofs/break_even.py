"""When to compile without knowing how often one will be called: rent, then buy."""

from __future__ import annotations

import math


def calls_until_even(compile_s: float, before_ms: float, after_ms: float, guard_us: float) -> float:
    """Calls that pay for the compiler; guards are checked in every compiled call."""
    return compile_s * 1e3 / (before_ms - after_ms - guard_us / 1e3)


# --8<-- [start:rent]
def cost(
    calls: int, compile_at: float, compile_s: float, before_ms: float, after_ms: float
) -> float:
    """Seconds, if call number `compile_at` and all later ones run compiled."""
    slow = min(calls, compile_at)
    compiled = compile_s if calls > compile_at else 0.0
    return compiled + (slow * before_ms + (calls - slow) * after_ms) / 1e3


def worst(compile_at: float, compile_s: float, before_ms: float, after_ms: float) -> float:
    """Return the largest ratio of cost to the best possible, over any number of calls."""
    even = math.ceil(calls_until_even(compile_s, before_ms, after_ms, 0))
    return max(
        cost(n, compile_at, compile_s, before_ms, after_ms)
        / min(
            cost(n, 0, compile_s, before_ms, after_ms),
            cost(n, math.inf, compile_s, before_ms, after_ms),
        )
        for n in [*range(1, 3 * even), 1000 * even]
    )


# --8<-- [end:rent]


def main() -> None:
    """Supposed: 8 s to compile, 30 ms a call before and 3 ms after."""
    figures = (8.0, 30.0, 3.0)
    even = calls_until_even(*figures, 0)
    guarded = calls_until_even(*figures, 2000)
    print(f"even after {even:,.0f} calls; with 2 ms of guards {guarded:,.0f}")
    assert (round(even), round(guarded)) == (296, 320)
    print(
        f"guards of 50 µs on a call of 0.10 instead of 0.14 ms: {0.14 - 0.10 - 0.05:+.2f} ms a call"
    )
    assert 0.14 - 0.10 - 0.05 < 0
    found = {}
    for name, at in (
        ("at the first call", 0.0),
        ("after 100 calls", 100.0),
        ("at the break-even", float(math.ceil(even))),
        ("never", math.inf),
    ):
        found[name] = worst(at, *figures)
        print(f"compile {name:18}: at worst {found[name]:8,.2f} times the best possible")
    assert found["at the break-even"] <= 2
    assert found["at the first call"] > 200
    assert found["never"] > 9
    shapes, each = 341, 10_000 / 341
    print(f"{shapes} shapes in 10,000 calls: {each:.0f} calls a shape, far below {even:,.0f}")
    assert each < even / 10


if __name__ == "__main__":
    main()
