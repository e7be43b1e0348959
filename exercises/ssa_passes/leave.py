"""Out of SSA form: copies in place of phis."""

import ir

### TASK ssa_passes.leave_ssa
@ir.on_text
def leave(function):
    """Without phis: copies assign names, and outside nothing else is seen."""
    raise NotImplementedError("ssa_passes.leave_ssa")
