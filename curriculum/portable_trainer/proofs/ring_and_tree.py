"""Steps and bytes of a ring and of a tree, counted at the links that learners are given.

The seconds follow from a model: a step costs a latency, a byte its share of a bandwidth.
"""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np

from hotloop.core import paths

LATENCY_S, BYTES_PER_S = 10e-6, 50e9
ELEMENTS = 12_000

LINKS: Any = runpy.run_path(str(paths.exercises() / "portable_trainer" / "links.py"))
REDUCE: Any = runpy.run_path(str(paths.solutions() / "portable_trainer" / "collectives.py"))


def counted(name: str, ranks: int) -> tuple[int, float]:
    """Return steps, and vectors that follow each other."""
    vectors = [np.full(ELEMENTS, float(rank), np.float32) for rank in range(ranks)]
    results, costs = LINKS["run"](REDUCE[name], vectors)
    assert all(np.array_equal(result, sum(vectors)) for result in results)
    return costs.steps, costs.bytes / (4 * ELEMENTS)


def seconds(name: str, ranks: int, size: float) -> float:
    """Return the time of an all-reduce of so many bytes, by the model."""
    steps, vectors = counted(name, ranks)
    return steps * LATENCY_S + vectors * size / BYTES_PER_S


def crossing(ranks: int) -> float:
    """Return the bytes from which the ring is faster."""
    (ring_steps, ring), (tree_steps, tree) = (counted(name, ranks) for name in ("ring", "tree"))
    return (ring_steps - tree_steps) * LATENCY_S * BYTES_PER_S / (tree - ring)


def main() -> None:
    """Print both for several numbers of ranks."""
    print("ranks   ring: steps, vectors   tree: steps, vectors   ring is faster from")
    for ranks in (4, 8, 16, 64):
        (a, b), (c, d) = counted("ring", ranks), counted("tree", ranks)
        print(f"{ranks:5} {a:13} {b:8.2f} {c:14} {d:8.2f} {crossing(ranks) / 1e6:15.1f} MB")
    print(f"the last column with {LATENCY_S * 1e6:.0f} µs a step and {BYTES_PER_S / 1e9:.0f} GB/s")


if __name__ == "__main__":
    main()
