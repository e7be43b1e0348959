"""Forgets that the product may be the addition's right operand.

fails: fuse_multiply_add.complete
"""


### BEGIN SOLUTION tvm_passes.fuse_multiply_add common
def products_of(function):
    """The products that are bound to a DataflowVar and used once: their calls, by variable."""
    counter = Uses()
    counter.visit_expr(function)
    return {
        variable: value
        for variable, value in relax.analysis.get_var2val(function).items()
        if isinstance(variable, relax.DataflowVar)
        and counter.found.get(variable) == 1
        and is_call(value, MULTIPLY)
    }


@visitor
class Uses(PyExprVisitor):
    """Counts uses of variables, also those in tuples, results and branches."""

    def __init__(self):
        super().__init__()
        self.found = {}

    def visit_var_(self, op):
        self.found[op] = self.found.get(op, 0) + 1

    def visit_dataflow_var_(self, op):
        self.visit_var_(op)


def is_call(value, operator):
    """Whether an expression is a call of this operator."""
    return isinstance(value, tvm.ir.Call) and value.op == operator


def pair(addition, products):
    """The product's variable, and a, b, c of a·b + c, where an addition can be fused; else None."""
    product, addend = addition.args
    if product not in products:
        return None
    operands = (*products[product].args, addend)
    return (product, operands) if alike(operands) else None


def alike(operands):
    """Whether all are tensors of one dtype and of one shape, which is known."""
    first = operands[0].ty
    if not isinstance(first, relax.TensorType) or first.shape is None:
        return False
    return all(tvm_ffi.structural_equal(operand.ty, first) for operand in operands[1:])


### END SOLUTION
