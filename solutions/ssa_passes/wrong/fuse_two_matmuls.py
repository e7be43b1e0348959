"""Puts two matmuls into one kernel because an addition reads both.

fails: fuse.legal
"""


### BEGIN SOLUTION ssa_passes.fuse
def fuse(text):
    """Kernels as they run: lists of names. No pair is left that is worth merging."""
    graph = read(text)
    kernels = [frozenset([made]) for made in graph.ops]
    while True:
        now = moved(graph, kernels)
        cheaper = [
            merged
            for merged in map(list, mergings(graph, kernels))
            if moved(graph, merged) < now and ordered(graph, merged)
        ]
        if not cheaper:
            return [sorted(kernel) for kernel in ordered(graph, kernels)]
        kernels = min(cheaper, key=lambda merged: moved(graph, merged))


def mergings(graph, kernels):
    """Kernels with two of them made one, where that is a kernel."""
    for one, other in combinations(kernels, 2):
        if legal(graph, one | other):
            yield [one | other, *(kernel for kernel in kernels if kernel not in (one, other))]


def legal(graph, kernel):
    """One loop, at most one matmul at its beginning, sums at its end."""
    loops = {
        graph.shapes[graph.reads[made][0] if graph.ops[made] == "sum" else made] for made in kernel
    }
    products = [made for made in kernel if graph.ops[made] == "matmul"]
    whole = {name for made in products for name in graph.reads[made]}
    late = {made for made in kernel if graph.ops[made] == "sum"}
    taken = {name for made in kernel for name in graph.reads[made]}
    return len(loops) == 1 and whole.isdisjoint(kernel) and late.isdisjoint(taken)


def ordered(graph, kernels):
    """So that each finds what it reads; None where two wait for each other."""
    there, waiting, order = set(graph.inputs), list(kernels), []
    while waiting:
        for kernel in waiting:
            if there.union(kernel).issuperset(n for made in kernel for n in graph.reads[made]):
                break
        else:
            return None
        waiting.remove(kernel)
        order.append(kernel)
        there |= kernel
    return order


def best(text):
    """The same, for at most six steps: no kernels that are legal move fewer bytes."""
    graph = read(text)
    found = [
        order
        for kernels in partitions(list(graph.ops))
        if all(legal(graph, kernel) for kernel in kernels) and (order := ordered(graph, kernels))
    ]
    return [sorted(kernel) for kernel in min(found, key=lambda kernels: moved(graph, kernels))]


def partitions(names):
    """All ways to put them into kernels."""
    if not names:
        yield []
        return
    for kernels in partitions(names[1:]):
        yield [frozenset(names[:1]), *kernels]
        for place, kernel in enumerate(kernels):
            yield [*kernels[:place], kernel | {names[0]}, *kernels[place + 1 :]]


### END SOLUTION
