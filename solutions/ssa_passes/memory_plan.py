"""Offsets of tensors and the order of steps, for a small peak of memory.

A graph, as JSON:

    {"inputs": ["x"], "outputs": ["c"], "sizes": {"x": 8, "a": 64, "b": 64, "c": 8},
     "steps": [["a", ["x"]], ["b", ["a"]], ["c", ["b", "x"]]]}

Each step makes one tensor from others, which all must be in memory with it: a step never writes
into what it reads. Inputs are there from the beginning, and belong to us from then on: their
memory, too, is free after their last reader. Outputs stay to the end. A step's tensor is in memory
during the step, even if no step reads it.
"""

import json

### BEGIN SOLUTION ssa_passes.plan_memory
### STUB def plan(text):
### STUB     """An offset for each tensor, inputs too; the steps run in the order they have."""
### STUB     raise NotImplementedError("ssa_passes.plan_memory")
### STUB
### STUB
### STUB def best_order(text):
### STUB     """Names of the steps' tensors, in an order whose peak is the smallest there is."""
### STUB     raise NotImplementedError("ssa_passes.plan_memory")


def plan(text):
    """An offset for each tensor, inputs too; the steps run in the order they have."""
    graph = json.loads(text)
    sizes, lives, placed = graph["sizes"], lifetimes(graph), {}
    # The largest first: small ones fit into the gaps that are left.
    for name in sorted(sizes, key=lambda name: (-sizes[name], lives[name])):
        offset = 0
        for other in sorted(placed, key=placed.get):
            apart = lives[name][1] < lives[other][0] or lives[other][1] < lives[name][0]
            if not apart and placed[other] < offset + sizes[name]:
                offset = max(offset, placed[other] + sizes[other])
        placed[name] = offset
    return placed


def lifetimes(graph):
    """First and last step in which each tensor is in memory, by number."""
    lives = {name: [-1, -1] for name in graph["inputs"]}
    for number, (made, read) in enumerate(graph["steps"]):
        lives[made] = [number, number]
        for name in read:
            lives[name][1] = number
    for name in graph["outputs"]:
        lives[name][1] = len(graph["steps"])
    return {name: tuple(life) for name, life in lives.items()}


def best_order(text):
    """Names of the steps' tensors, in an order whose peak is the smallest there is."""
    graph = json.loads(text)
    steps, sizes = dict(graph["steps"]), graph["sizes"]
    readers = {name: {made for made, read in steps.items() if name in read} for name in sizes}

    def kept(done):
        """Bytes between two steps: what somebody will still read, and outputs."""
        there = [*graph["inputs"], *done]
        return sum(
            sizes[name] for name in there if name in graph["outputs"] or not readers[name] <= done
        )

    best = {frozenset(): (kept(frozenset()), ())}
    for _ in steps:
        longer = {}
        for done, (peak, order) in best.items():
            for made, read in steps.items():
                if made in done or not done.issuperset(set(read) & set(steps)):
                    continue
                now, after = max(peak, kept(done) + sizes[made]), done | {made}
                if after not in longer or now < longer[after][0]:
                    longer[after] = (now, (*order, made))
        best = longer
    ((_, order),) = best.values()
    return list(order)


### END SOLUTION
