"""Ahead of time, at first use, or by shapes: the arithmetic, with supposed costs."""

from __future__ import annotations

import random

COMPILE_S, EAGER_MS, GENERAL_MS, SPECIAL_MS = 8.0, 6.0, 4.0, 3.0
"""Supposed: compiling once; a call uncompiled, compiled for any length, for exactly its length."""


# --8<-- [start:even]
def calls_until_even(compile_s: float, before_ms: float, after_ms: float) -> float:
    """How many calls pay for the compiler."""
    return compile_s * 1e3 / (before_ms - after_ms)
    # --8<-- [end:even]


def lengths(count: int) -> list[int]:
    """Of sentences, most of them short."""
    rng = random.Random(1)
    return [min(1 + int(rng.expovariate(1 / 60)), 512) for _ in range(count)]


def bucket(length: int) -> int:
    """The next power of two: what it is padded to."""
    return 1 << (length - 1).bit_length()


def main() -> None:
    """Print when each way has paid."""
    for name, after in (("any length", GENERAL_MS), ("one length", SPECIAL_MS)):
        even = calls_until_even(COMPILE_S, EAGER_MS, after)
        print(f"one program for {name}: paid after {even:,.0f} calls")
    assert round(calls_until_even(COMPILE_S, EAGER_MS, SPECIAL_MS)) == 2667
    asked = lengths(10_000)
    exact, buckets = len(set(asked)), len({bucket(length) for length in asked})
    padded = sum(map(bucket, asked)) / sum(asked)
    print(
        f"10,000 requests: {exact} lengths, {buckets} buckets; padded, {padded:.2f} times the work"
    )
    ways = {
        "no compiler": (0, EAGER_MS),
        "ahead of time, any length": (0, GENERAL_MS),
        "at first use, any length": (1, GENERAL_MS),
        "at first use, every length": (exact, SPECIAL_MS),
        "at first use, buckets": (buckets, SPECIAL_MS * padded),
    }
    total: dict[str, float] = {}
    for name, (compiled, each) in ways.items():
        total[name] = compiled * COMPILE_S + len(asked) * each / 1e3
        slow = f", {compiled} of them wait {COMPILE_S:g} s" if compiled else ""
        print(f"{name:27} {total[name]:6.0f} s for all requests{slow}")
    assert total["at first use, every length"] > 10 * total["no compiler"]
    assert total["ahead of time, any length"] < min(
        seconds for name, seconds in total.items() if not name.startswith("ahead")
    )


if __name__ == "__main__":
    main()
