"""How many phis a function gets: at every join, in frontiers, in frontiers if still read."""

from __future__ import annotations

import sys

from hotloop.core import paths

sys.path += paths.beside_notebook("ssa_passes")

import ir
from dominance import dominance_frontiers, immediate_dominators
from lowering import lower
from to_ssa import live_in, to_ssa

# --8<-- [start:python]
SOURCE = """
def f(n: int, d: int) -> int:
    s = 0
    t = 1
    for i in range(n):
        if d != 0 and i % d == 0:
            t = i
            continue
        s = s + t * 2
    return s
"""
# --8<-- [end:python]


def frontier_phis(function: ir.Function) -> set[tuple[str, str]]:
    """The iterated frontier of all assignments, whoever reads."""
    frontiers, found = dominance_frontiers(function.graph, function.entry), set()
    for name in function.types:
        waiting = [b.name for b in function.blocks if any(i.to == name for i in b.instrs)]
        waiting += [function.entry] * (name in dict(function.params))
        while waiting:
            for block in frontiers[waiting.pop()]:
                if (block, name) not in found:
                    found.add((block, name))
                    waiting.append(block)
    return found


def main() -> None:
    """Print the tree, the frontiers and three counts."""
    blocks = ir.parse(lower(SOURCE))
    above = immediate_dominators(blocks.graph, blocks.entry)
    frontiers = dominance_frontiers(blocks.graph, blocks.entry)
    for name in sorted(above):
        at = f"immediate dominator {above[name] or '-':3}"
        print(f"{name}: {at} frontier {' '.join(frontiers[name]) or '-'}")
    joins = [name for name, before in blocks.predecessors.items() if len(before) > 1]
    everywhere = len(joins) * len(blocks.types)
    minimal = frontier_phis(blocks)
    alive = live_in(blocks)
    pruned = {(block, name) for block, name in minimal if name in alive[block]}
    single = ir.parse(to_ssa(str(blocks)))
    made = sum(len(block.phis) for block in single.blocks)
    print(
        f"phis: {everywhere} at every join, {len(minimal)} in frontiers, {len(pruned)} where live"
    )
    assert made == len(pruned) < len(minimal) < everywhere
    for given in ([10, 3], [5, 0], [0, 0]):
        assert ir.run(blocks, given)[:2] == ir.run(single, given)[:2]


if __name__ == "__main__":
    main()
