"""The course's machine: naive programs, lower bounds, and where the naive cycles go."""

from __future__ import annotations

import math
import random

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import rows as matrices
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.run import run

SEED = 12
MACHINE = machines.draw(SEED)


def score(cycles: float, naive: float, bound: float) -> float:
    """The share of the way from the naive program to the bound, on a logarithmic scale."""
    return math.log(naive / cycles) / math.log(naive / bound)


def main() -> None:
    """Print a line for each kernel."""
    walk, rows = walks.draw(SEED), matrices.draw(SEED)
    hashes = walks.without_table(walk)
    for name, shape in (("pipeline", hashes), ("walk", walk)):
        work = walks.work(shape, 256, random.Random(1))
        program = walks.naive(shape, 256)
        result = run(MACHINE, program, work.memory, work.writable, 10**6)
        assert work.mismatch(result.memory) is None
        bound = walks.lower_bound(shape, MACHINE, work)
        waited = result.waits["a result"] / result.cycles
        print(f"{name:9} naive {result.cycles}, {waited:.0%} waiting for results; bound {bound}")
    work = matrices.work(rows, 128, random.Random(1))
    result = run(MACHINE, matrices.naive(rows, 128), work.memory, work.writable, 10**6)
    assert work.mismatch(result.memory) is None
    waited = result.waits["a transfer"] / result.cycles
    bound = matrices.lower_bound(rows, MACHINE, work)
    print(f"overlap   naive {result.cycles}, {waited:.0%} waiting for transfers; bound {bound}")
    print("a naive program of 80000 cycles and a bound of 1600:")
    for cycles in (80000, 40000, 20000, 10000, 5000, 2500):
        print(f"  {cycles:6} cycles: {score(cycles, 80000, 1600):.2f}")


if __name__ == "__main__":
    main()
