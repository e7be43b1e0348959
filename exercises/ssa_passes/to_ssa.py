"""SSA construction: each name gets one definition."""

from collections import Counter

import ir
from dominance import dominance_frontiers, immediate_dominators


### TASK ssa_passes.to_ssa
@ir.on_text
def to_ssa(function):
    """The same function in SSA form, with no copy and no phi that is not needed."""
    raise NotImplementedError("ssa_passes.to_ssa")
