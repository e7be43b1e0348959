"""Keeps one table for the function, so that a value of a closed region is read behind it.

fails: xdsl.sound
"""


### BEGIN SOLUTION ssa_passes.xdsl
def clean(module):
    """Merge and remove, in a ModuleOp, what nobody can tell; the module itself."""
    for function in module.ops:
        for block in blocks(function):
            merge(block, {})
            sweep(block)
    return module


def blocks(op):
    """Those that lie directly in it."""
    return [block for region in op.regions for block in region.blocks]


def merge(block, above):
    """What was computed once is not computed again."""
    seen = above
    for op in list(block.ops):
        if op.name in PURE:
            operands = tuple(op.operands)
            key = (
                op.name,
                frozenset(operands) if op.name in COMMUTATIVE else operands,
                frozenset(op.properties.items()),
                op.results[0].type,
            )
            if key in seen:
                op.results[0].replace_all_uses_with(seen[key])
                op.detach()
                op.erase()
                continue
            seen[key] = op.results[0]
        for inner in blocks(op):
            merge(inner, seen)


def sweep(block):
    """From the last to the first, so that readers go before what they read."""
    for op in reversed(list(block.ops)):
        quiet = op.name in PURE or (op.name == "scf.if" and not has_effect(op))
        if quiet and not any(result.uses for result in op.results):
            op.detach()
            op.erase()
            continue
        for inner in blocks(op):
            sweep(inner)


def has_effect(op):
    """Itself, or anything inside of it."""
    return op.name == "func.call" or any(has_effect(o) for b in blocks(op) for o in b.ops)


### END SOLUTION
