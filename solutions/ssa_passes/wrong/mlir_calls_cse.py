"""Calls the pass that MLIR brings, which leaves what only a dead operation has read.

fails: mlir.complete
"""


### BEGIN SOLUTION ssa_passes.mlir
def clean(module):
    """Merge and remove, in a Module, what nobody can tell; the module itself."""
    from jaxlib.mlir.passmanager import PassManager

    with module.context:
        PassManager.parse("builtin.module(cse)").run(module.operation)
    return module


### END SOLUTION
