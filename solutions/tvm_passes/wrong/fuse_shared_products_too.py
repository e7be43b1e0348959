"""Copies a product into each sum that has it, so that it is computed several times.

fails: fuse_multiply_add.complete
"""


### BEGIN SOLUTION tvm_passes.fuse_multiply_add pattern
def fused_by_pattern(module):
    """The module, its pairs fused by `tvm.relax.dpl` patterns."""
    # Matches with the product on either side: add and multiply are known to commute.
    pattern = is_op("relax.add")(is_op("relax.multiply")(wildcard(), wildcard()), wildcard())
    for variable, function in module.functions_items():
        if isinstance(function, relax.Function):
            products = {
                bound: value
                for bound, value in relax.analysis.get_var2val(function).items()
                if isinstance(bound, relax.DataflowVar) and is_call(value, MULTIPLY)
            }
            module[variable] = rewrite_call(pattern, replacing(products), function)
    return module


def replacing(products):
    """What is called for each match: the pattern knows nothing of uses and shapes."""

    def replacement(addition, _matched):
        found = pair(addition, products)
        return addition if found is None else relax.op.ewise_fma(*found[1])

    return replacement


### END SOLUTION
