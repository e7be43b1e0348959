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

### TASK ssa_passes.plan_memory
def plan(text):
    """An offset for each tensor, inputs too; the steps run in the order they have."""
    raise NotImplementedError("ssa_passes.plan_memory")


def best_order(text):
    """Names of the steps' tensors, in an order whose peak is the smallest there is."""
    raise NotImplementedError("ssa_passes.plan_memory")
