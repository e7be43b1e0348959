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


### TASK ssa_passes.fuse
def fuse(text):
    """Kernels as they run: lists of names. No pair is left that is worth merging."""
    raise NotImplementedError("ssa_passes.fuse")


def best(text):
    """The same, for at most six steps: no kernels that are legal move fewer bytes."""
    raise NotImplementedError("ssa_passes.fuse")
