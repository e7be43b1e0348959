"""Dominators and dominance frontiers. A graph is a dict: each block's successors, by label."""

import json


### BEGIN SOLUTION ssa_passes.dominance
### STUB def immediate_dominators(graph, entry):
### STUB     """The nearest strict dominator of each block that `entry` reaches; its own is None."""
### STUB     raise NotImplementedError("ssa_passes.dominance")
### STUB
### STUB
### STUB def dominance_frontiers(graph, entry):
### STUB     """For each reached block, sorted: where its dominance ends."""
### STUB     raise NotImplementedError("ssa_passes.dominance")
def immediate_dominators(graph, entry):
    """The nearest strict dominator of each block that `entry` reaches; its own is None."""
    order = _postorder(graph, entry)
    number = {block: place for place, block in enumerate(order)}
    before = _predecessors(graph, order)
    found = {entry: entry}

    def meet(one, other):
        """The nearest that dominates both: climb from whoever is further from the entry."""
        while one != other:
            if number[one] < number[other]:
                one = found[one]
            else:
                other = found[other]
        return one

    changed = True
    while changed:
        changed = False
        for block in reversed(order):
            if block == entry:
                continue
            ready = [b for b in before[block] if b in found]
            nearest = ready[0]
            for other in ready[1:]:
                nearest = meet(nearest, other)
            if found.get(block) != nearest:
                found[block] = nearest
                changed = True
    return found | {entry: None}


def dominance_frontiers(graph, entry):
    """For each reached block, sorted: where its dominance ends."""
    above = immediate_dominators(graph, entry)
    before = _predecessors(graph, above)
    found = {block: set() for block in above}
    for block in above:
        for runner in before[block]:
            # Each block from the predecessor up to, and without, this one's immediate dominator.
            while runner is not None and runner != above[block]:
                found[runner].add(block)
                runner = above[runner]
    return {block: sorted(frontier) for block, frontier in found.items()}


def _postorder(graph, entry):
    order, seen, waiting = [], {entry}, [(entry, iter(graph[entry]))]
    while waiting:
        block, followers = waiting[-1]
        follower = next((f for f in followers if f not in seen), None)
        if follower is None:
            order.append(block)
            waiting.pop()
        else:
            seen.add(follower)
            waiting.append((follower, iter(graph[follower])))
    return order


def _predecessors(graph, blocks):
    before = {block: [] for block in blocks}
    for block in blocks:
        for follower in graph[block]:
            before[follower].append(block)
    return before


### END SOLUTION


def dominates(above, one, other):
    """Whether `one` dominates `other`, by the immediate dominators."""
    while other is not None and other != one:
        other = above[other]
    return other == one


def immediate_from_text(graph, entry):
    """As the judge asks: the graph is JSON."""
    return immediate_dominators(json.loads(graph), entry)


def frontiers_from_text(graph, entry):
    """As the judge asks: the graph is JSON."""
    return dominance_frontiers(json.loads(graph), entry)
