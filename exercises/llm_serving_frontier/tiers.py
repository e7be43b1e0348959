"""A model of a prefix cache in two tiers: the GPU's memory, and the host's behind a link.

Requests come one after the other. A prompt is a chain of blocks, each named by the whole prefix up
to its end; as far as its first blocks are in a tier, they need not be computed. A block on the host
costs a transfer, any other one its computation, which grows with its place: attention reads all
before it. Then all blocks of the prompt are on the GPU. What does not fit there moves to the host,
and what does not fit there is gone. Which blocks leave a tier is your policy's decision; the check
runs it in this same model, on traces that you do not know.

    python tiers.py              # your policy and the least recently used block
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


class Illegal(Exception):
    """A decision that no cache could carry out."""


@dataclass(frozen=True)
class Costs:
    """Milliseconds: of a block that is computed, at place 0 and more for each place; of a load."""

    compute_ms: float = 2.56
    place_ms: float = 0.03
    load_ms: float = 0.17


@dataclass(eq=False)
class Block:
    """name: of its prefix. last, uses: number of the last request that had it, and how many had."""

    name: int
    before: int
    place: int
    tier: str
    last: int
    stored: int
    uses: int = 1


class Tiers:
    """sizes: blocks that fit into "gpu" and "host"."""

    def __init__(self, sizes: dict[str, int], costs: Costs) -> None:
        self.sizes, self.costs = sizes, costs
        self.blocks: dict[int, Block] = {}
        self.request = 0
        self.ms = self.saved_ms = 0.0

    def serve(self, prompt: list[int], evict: Callable[[dict], list[int]]) -> None:
        """Serve one prompt, the names of its blocks; evict: gives names that leave a tier."""
        self.request += 1
        usable = True
        for place, name in enumerate(prompt):
            whole = self.costs.compute_ms + self.costs.place_ms * place
            block = self.blocks.get(name)
            usable = usable and block is not None
            price = whole
            if usable and block is not None:
                price = 0.0 if block.tier == "gpu" else self.costs.load_ms
            self.ms, self.saved_ms = self.ms + price, self.saved_ms + whole - price
            if block is None:
                before = prompt[place - 1] if place else -1
                block = Block(name, before, place, "gpu", 0, self.request, 0)
                self.blocks[name] = block
            block.tier, block.last, block.uses = "gpu", self.request, block.uses + 1
        self._make_room("gpu", set(prompt), evict)
        self._make_room("host", set(prompt), evict)

    def _make_room(self, tier: str, kept: set[int], evict: Callable[[dict], list[int]]) -> None:
        there = [block for block in self.blocks.values() if block.tier == tier]
        count = len(there) - self.sizes[tier]
        if count <= 0:
            return
        may_leave = {block.name for block in there if block.name not in kept}
        count = min(count, len(may_leave))
        names = evict(self._view(tier, [b for b in there if b.name in may_leave], count))
        if len(set(names)) != count or not may_leave.issuperset(names):
            raise Illegal(f"{count} blocks of the {tier} must leave, by their names")
        for name in names:
            if tier == "gpu":
                self.blocks[name].tier = "host"
            else:
                del self.blocks[name]

    def _view(self, tier: str, blocks: list[Block], count: int) -> dict:
        followed = {block.before for block in self.blocks.values()}
        return {
            "tier": tier,
            "count": count,
            "request": self.request,
            "compute_ms": self.costs.compute_ms,
            "place_ms": self.costs.place_ms,
            "load_ms": self.costs.load_ms,
            "blocks": [
                {
                    "name": block.name,
                    "before": block.before,
                    "place": block.place,
                    "last": block.last,
                    "stored": block.stored,
                    "uses": block.uses,
                    "is_end": block.name not in followed,
                }
                for block in blocks
            ],
        }


def prompts(rng: np.random.Generator, count: int, once: float = 0.4) -> list[list[int]]:
    """Prompts of conversations with popular beginnings, and a share of documents that come once."""
    names = iter(range(10**9))
    begun = [[next(names) for _ in range(4 + 2 * n)] for n in range(8)]
    shares = 1 / np.arange(1, 9)
    found: list[list[int]] = []
    open_ones: list[list[int]] = []
    while len(found) < count:
        if rng.random() < once:
            found.append([next(names) for _ in range(int(rng.integers(6, 24)))])
        elif open_ones and rng.random() < 0.6:
            chosen = int(len(open_ones) - 1 - min(rng.geometric(0.3) - 1, len(open_ones) - 1))
            more = [next(names) for _ in range(int(rng.integers(1, 5)))]
            open_ones[chosen] = [*open_ones[chosen], *more]
            found.append(open_ones[chosen])
            if rng.random() < 0.3:
                del open_ones[chosen]
        else:
            first = begun[int(rng.choice(8, p=shares / shares.sum()))]
            open_ones.append([*first, *(next(names) for _ in range(int(rng.integers(1, 6))))])
            found.append(open_ones[-1])
    return found


def play(tiers: Tiers, given: list[list[int]], evict: Callable[[dict], list[int]]) -> Tiers:
    """Serve all prompts."""
    for prompt in given:
        tiers.serve(prompt, evict)
    return tiers


def least_recent(view: dict) -> list[int]:
    """The blocks that were not used for longest, the end of a prompt before its beginning."""
    ordered = sorted(view["blocks"], key=lambda block: (block["last"], -block["place"]))
    return [block["name"] for block in ordered[: view["count"]]]


if __name__ == "__main__":
    from offload import evict

    trace = prompts(np.random.default_rng(0), 400)
    for name, policy in (("least recent", least_recent), ("yours", evict)):
        played = play(Tiers({"gpu": 60, "host": 120}, Costs()), trace, policy)
        print(f"{name}: {played.saved_ms:.0f} ms of {played.saved_ms + played.ms:.0f} were saved")
