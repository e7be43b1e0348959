"""Lets an output end with its last reader, like any other tensor.

fails: plan_memory.apart
"""


### BEGIN SOLUTION ssa_passes.plan_memory
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
