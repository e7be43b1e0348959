"""What nobody needs goes."""

import ir

### TASK ssa_passes.dead_code
@ir.on_text
def dead_code(function):
    """Without the instructions whose absence nobody can notice."""
    raise NotImplementedError("ssa_passes.dead_code")
