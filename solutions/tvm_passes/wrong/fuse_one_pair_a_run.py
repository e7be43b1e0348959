"""Fuses one pair of each function, so that every further run finds another.

fails: fuse_multiply_add.idempotent
"""


### BEGIN SOLUTION tvm_passes.fuse_multiply_add mutator
def fused_by_mutator(module):
    """The module, its pairs fused by a `PyExprMutator`."""
    for variable, function in module.functions_items():
        if isinstance(function, relax.Function):
            module[variable] = Fuser(module, function).visit_expr(function)
    return module


@mutator
class Fuser(PyExprMutator):
    """Fuses in one function.

    pairs: product's variable and operands, by the sum's variable. gone: products not to be bound.
    """

    def __init__(self, module, function):
        super().__init__(module)
        products = products_of(function)
        found = {
            variable: pair(value, products)
            for variable, value in relax.analysis.get_var2val(function).items()
            if is_call(value, ADD)
        }
        pairs = [(variable, both) for variable, both in found.items() if both is not None]
        self.pairs = dict(pairs[:1])
        self.gone = {product for product, _ in self.pairs.values()}

    def visit_var_binding_(self, binding):
        if binding.var in self.gone:
            return
        if binding.var not in self.pairs:
            super().visit_var_binding_(binding)
            return
        _, operands = self.pairs[binding.var]
        value = relax.op.ewise_fma(*(self.visit_expr(operand) for operand in operands))
        # What leaves the block must go on doing so.
        inside = isinstance(binding.var, relax.DataflowVar)
        emit = self.builder_.emit if inside else self.builder_.emit_output
        self.set_var_remap(binding.var, emit(value, binding.var.name))


### END SOLUTION
