"""What is the same in every round of a loop is computed before it."""

import ir
from dominance import dominates, immediate_dominators

### TASK ssa_passes.hoist
@ir.on_text
def hoist(function):
    """Each loop's invariant operations before it, in a block of their own if need be."""
    raise NotImplementedError("ssa_passes.hoist")
