"""Both passes over one table of decisions; uses are counted by post_order_visit on each value."""


### BEGIN SOLUTION tvm_passes.fuse_multiply_add common
from collections import Counter


def products_of(function):
    uses, calls = Counter(), {}

    def count(node):
        if isinstance(node, relax.Var):
            uses[node] += 1

    for expression in parts(function):
        relax.analysis.post_order_visit(expression, count)
    for variable, value in relax.analysis.get_var2val(function).items():
        if isinstance(value, tvm.ir.Call) and value.op == MULTIPLY:
            calls[variable] = value
    return {v: c for v, c in calls.items() if isinstance(v, relax.DataflowVar) and uses[v] == 1}


def parts(function):
    """What reads variables, one read at a time: post_order_visit sees each node once."""
    stack = [function.body]
    while stack:
        expression = stack.pop()
        if isinstance(expression, relax.SeqExpr):
            stack += [binding.value for block in expression.blocks for binding in block.bindings]
            stack.append(expression.body)
        elif isinstance(expression, relax.If):
            stack += [expression.cond, expression.true_branch, expression.false_branch]
        elif isinstance(expression, tvm.ir.Call):
            stack += list(expression.args)
        elif isinstance(expression, tvm.ir.Tuple):
            stack += list(expression.fields)
        else:
            yield expression


def pair(addition, products):
    for place in (1, 0):
        product, addend = addition.args[place], addition.args[1 - place]
        if product not in products:
            continue
        operands = [*products[product].args, addend]
        types = {(str(o.ty.dtype), str(o.ty.shape)) for o in operands if known(o)}
        if len(types) == 1 and all(map(known, operands)):
            return product, operands
    return None


def known(value):
    return isinstance(value.ty, relax.TensorType) and value.ty.shape is not None


def is_call(value, operator):
    return isinstance(value, tvm.ir.Call) and value.op == operator


### END SOLUTION
