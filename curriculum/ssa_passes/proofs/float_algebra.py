"""Which school rules hold for all floats? Each is tried on nine of them, bit by bit."""

from __future__ import annotations

import math
import struct
from collections.abc import Callable

NUMBERS = (0.0, -0.0, 1.0, -2.5, 5e-324, 1e308, math.inf, -math.inf, math.nan)

# --8<-- [start:rules]
RULES: dict[str, tuple[Callable[[float], object], Callable[[float], object]]] = {
    "x + 0.0 is x": (lambda x: x + 0.0, lambda x: x),
    "x + -0.0 is x": (lambda x: x + -0.0, lambda x: x),
    "x - 0.0 is x": (lambda x: x - 0.0, lambda x: x),
    "x * 1.0 is x": (lambda x: x * 1.0, lambda x: x),
    "x * 0.0 is 0.0": (lambda x: x * 0.0, lambda _: 0.0),
    "x - x is 0.0": (lambda x: x - x, lambda _: 0.0),
    "x == x is true": (lambda x: x == x, lambda _: True),
    "x < x is false": (lambda x: x < x, lambda _: False),
    "x * 2.0 is x + x": (lambda x: x * 2.0, lambda x: x + x),
    "x / 3.0 is x * (1.0 / 3.0)": (lambda x: x / 3.0, lambda x: x * (1.0 / 3.0)),
}
# --8<-- [end:rules]


def bits(value: object) -> object:
    """All that can be told apart: every nan is one, -0.0 is not 0.0."""
    if isinstance(value, float) and not math.isnan(value):
        return struct.pack(">d", value)
    return str(value)


def main() -> None:
    """Print for each rule the floats that break it."""
    numbers = (*NUMBERS, 5.0)
    found = {
        rule: [x for x in numbers if bits(left(x)) != bits(right(x))]
        for rule, (left, right) in RULES.items()
    }
    for rule, broken in found.items():
        print(f"{rule:27} {'holds' if not broken else 'not for ' + ', '.join(map(str, broken))}")
    holds = [rule for rule, broken in found.items() if not broken]
    assert holds == [
        *("x + -0.0 is x", "x - 0.0 is x", "x * 1.0 is x", "x < x is false", "x * 2.0 is x + x")
    ]


if __name__ == "__main__":
    main()
