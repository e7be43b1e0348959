"""One table for the whole function; whether the earlier operation is visible is asked of the graph."""


### BEGIN SOLUTION ssa_passes.mlir
from collections import defaultdict


def visible_from(definition, user):
    """Whether the result of `definition` can be read by `user`."""
    while user is not None and user.name != "func.func":
        if user.block == definition.block:
            return definition.is_before_in_block(user)
        user = user.parent.operation
    return False


def all_operations(operation):
    found = []

    def visit(each):
        found.append(each.operation)
        return ir.WalkResult.ADVANCE

    operation.walk(visit, ir.WalkOrder.PRE_ORDER)
    return found


def key_of(op):
    operands = list(op.operands)
    if op.name in COMMUTATIVE:
        operands.sort(key=hash)
    attributes = tuple((named, op.attributes[named]) for named in sorted(op.attributes))
    return op.name, tuple(operands), attributes, op.results[0].type


def merge(function):
    known = defaultdict(list)
    doomed = []
    for op in all_operations(function):
        if op.name not in PURE:
            continue
        same = known[key_of(op)]
        first = next((other for other in same if visible_from(other, op)), None)
        if first is None:
            same.append(op)
        else:
            op.results[0].replace_all_uses_with(first.results[0])
            doomed.append(op)
    for op in doomed:
        op.erase()


def remove_unused(function):
    while True:
        unused = [
            op
            for op in all_operations(function)
            if op.name in (*PURE, "scf.if")
            and not any(True for result in op.results for _ in result.uses)
            and all(inner.name != "func.call" for inner in all_operations(op))
        ]
        if not unused:
            return
        unused[-1].erase()


def clean(module):
    """Merge and remove, in a Module, what nobody can tell; the module itself."""
    for view in module.body.operations:
        merge(view.operation)
        remove_unused(view.operation)
    return module


### END SOLUTION
