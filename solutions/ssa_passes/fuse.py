"""Which steps of a graph become one kernel, so that few bytes move.

A graph, as JSON; each step has a name, an operation, what it reads, and the shape that it makes:

    {"inputs": {"x": [4, 8], "w": [8, 8]}, "outputs": ["c"],
     "steps": [["a", "matmul", ["x", "w"], [4, 8]], ["b", "relu", ["a"], [4, 8]],
               ["s", "sum", ["b"], [4, 1]], ["c", "mul", ["b", "s"], [4, 8]]]}

relu and exp, add and mul take element by element; where one of two has a single column, it is
spread over the other's. sum adds up each row. matmul is the product of two matrices.

A kernel is one loop over the elements of one shape, its own shape for all steps but sum, which
loops over what it reads. In a kernel

- all steps have the same loop;
- there is at most one matmul, and it reads nothing that the kernel makes: it needs whole rows and
  columns, and of the kernel's tensors there is only the element at hand;
- nothing reads a sum that the kernel makes: that is complete when the loop has ended.

Each step is in exactly one kernel. Kernels run one after the other, and a kernel can only read
what is there: inputs, and what earlier kernels made. It loads each tensor that it reads and does
not make, once, and stores each that it makes if another kernel reads it or it is an output. A
number has 4 bytes.
"""

import json
from dataclasses import dataclass
from itertools import combinations


@dataclass
class Graph:
    """ops, reads: by the name of what a step makes, in order. shapes: of inputs, too."""

    inputs: list
    outputs: list
    ops: dict
    reads: dict
    shapes: dict


def read(text):
    """The graph that the text describes."""
    given = json.loads(text)
    steps = given["steps"]
    shapes = {name: tuple(shape) for name, shape in given["inputs"].items()}
    return Graph(
        list(given["inputs"]),
        given["outputs"],
        {made: op for made, op, _, _ in steps},
        {made: read for made, _, read, _ in steps},
        shapes | {made: tuple(shape) for made, _, _, shape in steps},
    )


def moved(graph, kernels):
    """Bytes that all kernels load and store."""
    total = 0
    for kernel in kernels:
        loaded = {name for made in kernel for name in graph.reads[made]} - set(kernel)
        elsewhere = {name for made in graph.ops if made not in kernel for name in graph.reads[made]}
        stored = set(kernel) & (elsewhere | set(graph.outputs))
        for name in [*loaded, *stored]:
            rows, columns = graph.shapes[name]
            total += 4 * rows * columns
    return total


### BEGIN SOLUTION ssa_passes.fuse
### STUB def fuse(text):
### STUB     """Kernels as they run: lists of names. No pair is left that is worth merging."""
### STUB     raise NotImplementedError("ssa_passes.fuse")
### STUB
### STUB
### STUB def best(text):
### STUB     """The same, for at most six steps: no kernels that are legal move fewer bytes."""
### STUB     raise NotImplementedError("ssa_passes.fuse")


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
    one_loop = len(loops) == 1 and len(products) <= 1
    return one_loop and whole.isdisjoint(kernel) and late.isdisjoint(taken)


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
