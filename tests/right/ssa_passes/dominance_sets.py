"""Sets of dominators as frozensets; frontiers from the bottom of the tree, own and passed up."""


### BEGIN SOLUTION ssa_passes.dominance
def immediate_dominators(graph, entry):
    blocks = _reachable(graph, entry)
    before = {b: [p for p in blocks if b in graph[p]] for b in blocks}
    above = dict.fromkeys(blocks, frozenset(blocks)) | {entry: frozenset([entry])}
    while True:
        new = {
            b: frozenset.intersection(*(above[p] for p in before[b])) | {b}
            if b != entry
            else above[b]
            for b in blocks
        }
        if new == above:
            break
        above = new
    # Dominators of a block form a chain: the nearest one has the most dominators itself.
    return {b: max(above[b] - {b}, key=lambda d: len(above[d]), default=None) for b in blocks}


def dominance_frontiers(graph, entry):
    parent = immediate_dominators(graph, entry)
    frontier = {}

    def visit(block):
        children = [b for b, p in parent.items() if p == block]
        passed_up = set().union(*map(visit, children)) if children else set()
        frontier[block] = {b for b in passed_up | set(graph[block]) if parent[b] != block}
        return frontier[block]

    visit(entry)
    return {block: tuple(sorted(found)) for block, found in frontier.items()}


def _reachable(graph, entry):
    seen = [entry]
    for block in seen:
        seen += [f for f in dict.fromkeys(graph[block]) if f not in seen]
    return seen


### END SOLUTION
