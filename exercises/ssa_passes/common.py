"""What is computed already is not computed again."""

import ir
from dominance import immediate_dominators

### TASK ssa_passes.common
@ir.on_text
def common(function):
    """What an earlier instruction has computed on every way is not computed again."""
    raise NotImplementedError("ssa_passes.common")
