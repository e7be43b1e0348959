"""By definition: what cannot be reached without a block is dominated by it."""


### BEGIN SOLUTION ssa_passes.dominance
from functools import reduce


def reached(graph, entry, without=None):
    if entry == without:
        return set()
    found, stack = set(), [entry]
    while stack:
        block = stack.pop()
        if block not in found and block != without:
            found.add(block)
            stack.extend(graph[block])
    return found


def table(graph, entry):
    """dominates[d]: the blocks that d dominates."""
    everything = reached(graph, entry)
    return {d: everything - reached(graph, entry, without=d) for d in everything}


def immediate_dominators(graph, entry):
    dominates = table(graph, entry)

    def nearer(one, other):
        return one if one in dominates[other] else other

    return {
        block: reduce(nearer, strict) if (strict := _strict(dominates, block)) else None
        for block in dominates
    }


def _strict(dominates, block):
    return [d for d in dominates if d != block and block in dominates[d]]


def dominance_frontiers(graph, entry):
    dominates = table(graph, entry)
    edges = [(p, b) for p in dominates for b in graph[p]]
    return {
        d: sorted({b for p, b in edges if p in inside and (b == d or b not in inside)})
        for d, inside in dominates.items()
    }


### END SOLUTION
