"""Loads of ranks under three placements of 64 experts, whose popularity is a power law."""

from __future__ import annotations

import runpy
from typing import Any

import numpy as np

from hotloop.core import paths
from hotloop.tasks.modules.mixture_of_experts.placements import Placement, balance

PLANNER: Any = runpy.run_path(str(paths.solutions() / "mixture_of_experts" / "planner.py"))
RANKS, SLOTS = 8, 10


def drawn() -> list[int]:
    """Return tokens of each expert."""
    rng = np.random.default_rng(3)
    share = rng.permutation((1.0 + np.arange(64)) ** -1.0)
    return rng.multinomial(4096, share / share.sum()).tolist()


def made(loads: list[int]) -> dict[str, Placement]:
    """Return the placements by name."""
    return {
        "in turn, no replicas": [list(range(r, 64, RANKS)) for r in range(RANKS)],
        "by load, no replicas": PLANNER["place"](loads, RANKS, 8),
        "by load, two spare slots": PLANNER["place"](loads, RANKS, SLOTS),
    }


def on_ranks(loads: list[int], placement: Placement) -> list[float]:
    """Return the load of each rank, over the mean."""
    copies = np.bincount([e for rank in placement for e in rank], minlength=len(loads))
    found = [sum(loads[e] / copies[e] for e in rank) for rank in placement]
    return [load * len(found) / sum(found) for load in found]


def main() -> None:
    """Print the largest load of each placement, and after the load has changed."""
    loads = drawn()
    for name, placement in made(loads).items():
        most = max(on_ranks(loads, placement))
        print(f"{name:26s} the fullest rank has {most:.2f} times the mean")
    held = made(loads)["by load, two spare slots"]
    later = np.roll(loads, 7).tolist()
    print(f"{'the same after new loads':26s} {1 / balance(later, held):.2f} times")
    for most in (4, 8, 16):
        moved = PLANNER["rebalance"](later, held, most)
        print(f"{f'{most} slots changed':26s} {1 / balance(later, moved):.2f} times")


if __name__ == "__main__":
    main()
