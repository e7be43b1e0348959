"""When compiling has paid: the arithmetic, with the figures of a recorded run and supposed ones."""

from __future__ import annotations

import math

EAGER_MS, COMPILED_MS, COMPILE_S = 17.3, 0.97, 1.58
"""The recorded runs d and healthy of this module: a step of 64 pictures, and one compilation."""


# --8<-- [start:even]
def steps_until_even(compile_s: float, eager_ms: float, compiled_ms: float) -> int | None:
    """The first number of steps whose gain has paid for compiling; None if there is no gain."""
    gain_s = (eager_ms - compiled_ms) / 1e3
    return math.ceil(compile_s / gain_s) if gain_s > 0 else None
    # --8<-- [end:even]


def main() -> None:
    """Print the break-even step for one program, for several, and for a small gain."""
    even = steps_until_even(COMPILE_S, EAGER_MS, COMPILED_MS)
    print(f"one program: {even} steps")
    assert even == 97
    for sizes in (5, 40):
        print(f"{sizes} sizes: {steps_until_even(sizes * COMPILE_S, EAGER_MS, COMPILED_MS)} steps")
    print(f"a gain of 5 %: {steps_until_even(COMPILE_S, 100, 95)} steps")
    print(f"compiling for a new size every 50 steps pays off: {bool(even and even < 50)}")
    assert steps_until_even(COMPILE_S, 1.0, 1.1) is None


if __name__ == "__main__":
    main()
