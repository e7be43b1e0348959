"""Fuses in float32, whatever the operands are, and goes on with that.

fails: fuse_multiply_add.sound
"""


### BEGIN SOLUTION tvm_passes.fuse_multiply_add pattern
def fused_by_pattern(module):
    """The module, its pairs fused by `tvm.relax.dpl` patterns."""
    # Matches with the product on either side: add and multiply are known to commute.
    pattern = is_op("relax.add")(is_op("relax.multiply")(wildcard(), wildcard()), wildcard())
    for variable, function in module.functions_items():
        if isinstance(function, relax.Function):
            module[variable] = rewrite_call(pattern, replacing(products_of(function)), function)
    return module


def replacing(products):
    """What is called for each match: the pattern knows nothing of uses and shapes."""

    def replacement(addition, _matched):
        found = pair(addition, products)
        if found is None:
            return addition
        return relax.op.ewise_fma(*(relax.op.astype(part, "float32") for part in found[1]))

    return replacement


### END SOLUTION
