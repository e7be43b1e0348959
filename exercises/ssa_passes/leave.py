"""Out of SSA form: copies in place of phis."""

import ir

### TASK ssa_passes.leave_ssa
@ir.on_text
def leave(function):
    """Replace phis by copies, without a change of the observable behavior."""
    raise NotImplementedError("ssa_passes.leave_ssa")
