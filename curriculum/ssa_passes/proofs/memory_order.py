"""One graph, all its orders: what lives at most, and what two ways of placing make of it."""

from __future__ import annotations

import json
import sys
from itertools import permutations

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

from memory_plan import best_order, plan

# --8<-- [start:graph]
SIZES = {"x": 8, "a": 64, "b": 32, "c": 128, "d": 8, "e": 8}
STEPS = {"a": ["x"], "c": ["x"], "b": ["a"], "d": ["c"], "e": ["b", "d"]}
# --8<-- [end:graph]


def peak(order: tuple[str, ...]) -> int:
    """What is read later, and what is being made."""
    most = 0
    for number, made in enumerate(order):
        read = {name for later in order[number:] for name in STEPS[later]}
        there = (read & {"x", *order[:number]}) | {made}
        most = max(most, sum(SIZES[name] for name in there))
    return most


def possible(order: tuple[str, ...]) -> bool:
    """Each step behind what it reads."""
    return all(set(STEPS[made]) <= {"x", *order[:n]} for n, made in enumerate(order))


def main() -> None:
    """Print peaks, and bytes."""
    orders = [order for order in permutations(STEPS) if possible(order)]
    peaks = {order: peak(order) for order in orders}
    best, worst = min(peaks.values()), max(peaks.values())
    print(f"{len(orders)} orders; without reuse {sum(SIZES.values())} bytes")
    print(f"peak of live bytes: {best} to {worst} bytes")
    graph = {"inputs": ["x"], "outputs": ["e"], "sizes": SIZES}
    for name in ("worst", "best"):
        order = next(o for o in orders if peaks[o] == (worst if name == "worst" else best))
        text = json.dumps({**graph, "steps": [[made, STEPS[made]] for made in order]})
        used = max(offset + SIZES[tensor] for tensor, offset in plan(text).items())
        print(f"  {name}: {' '.join(order)}, placed in {used} bytes")
    found = tuple(best_order(text))
    assert peaks[found] == best


if __name__ == "__main__":
    main()
