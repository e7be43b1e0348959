"""Ahead of time or at first use: four numbers decide, and a specialized loop shows two of them."""

from __future__ import annotations

import math
import time


def break_even(compile_s: float, slow_s: float, fast_s: float) -> float:
    """Calls until the compilation has paid for itself."""
    return math.inf if fast_s >= slow_s else compile_s / (slow_s - fast_s)


# --8<-- [start:specialize]
def power(x: int, n: int) -> int:
    """As written: a loop."""
    result = 1
    for _ in range(n):
        result = result * x
    return result


def specialized(n: int):
    """For one n: no loop, no counter. This is what a compiler at first use may assume."""
    source = f"def power(x):\n    return {' * '.join(['x'] * n) or '1'}\n"
    space: dict = {}
    exec(compile(source, "specialized", "exec"), space)  # noqa: S102 - the text is ours
    return space["power"]


# --8<-- [end:specialize]


class AtFirstUse:
    """A cache by what was assumed. Without the guard it would answer for another n."""

    def __init__(self) -> None:
        self.made: dict = {}
        self.compilations = 0

    def __call__(self, x: int, n: int) -> int:
        """The answer, compiled for this n if it is the first."""
        if n not in self.made:
            self.made[n] = specialized(n)
            self.compilations += 1
        return self.made[n](x)


def fastest(call, runs: int = 2000) -> float:
    """Of five batches, a call's seconds."""
    batches = []
    for _ in range(5):
        begin = time.perf_counter()
        for _ in range(runs):
            call()
        batches.append((time.perf_counter() - begin) / runs)
    return min(batches)


def main() -> None:
    """Print the sums for supposed costs, and the measured example."""
    print(f"30 s to compile, 12 ms to 8 ms a call: pays after {break_even(30, 0.012, 0.008):,.0f}")
    for shapes in (1, 10, 100):
        least = break_even(30 * shapes, 0.012, 0.008)
        print(f"  a compilation for each of {shapes:3} shapes: after {least:,.0f} calls")
    at_first_use = AtFirstUse()
    stream = [3, 3, 5, 3, 5, 3, 8, 3]
    assert [at_first_use(2, n) for n in stream] == [power(2, n) for n in stream]
    print(
        f"{len(stream)} calls with {len(set(stream))} exponents: "
        f"{at_first_use.compilations} compilations"
    )
    assert at_first_use.compilations == len(set(stream))
    twelfth = specialized(12)
    slow, fast = fastest(lambda: power(3, 12)), fastest(lambda: twelfth(3))
    begin = time.perf_counter()
    specialized(12)
    took = time.perf_counter() - begin
    calls = break_even(took, slow, fast)
    print(
        f"measured: x**12 as a loop {slow * 1e6:.2f} µs, specialized {fast * 1e6:.2f} µs, "
        f"compiled in {took * 1e6:.0f} µs: pays after {calls:.0f} calls"
    )
    assert fast < slow


if __name__ == "__main__":
    main()
