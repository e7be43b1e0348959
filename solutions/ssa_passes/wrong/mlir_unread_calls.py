"""Removes what nobody reads, calls too: they have no result.

fails: mlir.same
"""


### BEGIN SOLUTION ssa_passes.mlir
def clean(module):
    """Merge and remove, in a Module, what nobody can tell; the module itself."""
    for function in module.body.operations:
        for block in blocks(function.operation):
            merge(block, {})
            sweep(block)
    return module


def blocks(op):
    """Those that lie directly in it."""
    return [block for region in op.regions for block in region.blocks]


def merge(block, above):
    """What is known here is known in the regions inside, and not behind them."""
    seen = dict(above)
    for view in list(block.operations):
        op = view.operation
        if op.name in PURE:
            operands = tuple(op.operands)
            key = (
                op.name,
                frozenset(operands) if op.name in COMMUTATIVE else operands,
                frozenset(op.attributes.items()),
                op.results[0].type,
            )
            if key in seen:
                op.results[0].replace_all_uses_with(seen[key])
                op.erase()
                continue
            seen[key] = op.results[0]
        for inner in blocks(op):
            merge(inner, seen)


def sweep(block):
    """From the last to the first, so that readers go before what they read."""
    for view in reversed(list(block.operations)):
        op = view.operation
        quiet = op.name not in ("scf.yield", "func.return")
        if quiet and not any(list(result.uses) for result in op.results):
            op.erase()
            continue
        for inner in blocks(op):
            sweep(inner)


def has_effect(op):
    """Itself, or anything inside of it."""
    inside = [view.operation for block in blocks(op) for view in block.operations]
    return op.name == "func.call" or any(has_effect(each) for each in inside)


### END SOLUTION
