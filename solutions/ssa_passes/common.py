"""Common-subexpression elimination."""

import ir
from dominance import immediate_dominators

### BEGIN SOLUTION ssa_passes.common
### STUB @ir.on_text
### STUB def common(function):
### STUB     """Reuse the result of an equal instruction that dominates this one."""
### STUB     raise NotImplementedError("ssa_passes.common")


@ir.on_text
def common(function):
    """Reuse the result of an equal instruction that dominates this one."""
    changed = True
    while changed:  # phis of a loop read names that are replaced only further down
        changed = one_walk(function)
    return function


def one_walk(function):
    """Down the dominator tree: what is seen on the way to a block is there in it."""
    above = immediate_dominators(function.graph, function.entry)
    below = {block: [b for b in above if above[b] == block] for block in above}
    types, known = function.types, {}
    waiting = [(function.entry, {})]
    while waiting:
        name, seen = waiting.pop()
        block, kept = function.block(name), []
        for instr in block.instrs:
            instr.replace_operands(lambda operand: known.get(operand, operand))
            key = key_of(instr, types, name)
            if key is not None and key in seen:
                known[instr.to] = seen[key]
                continue
            if key is not None:
                seen[key] = instr.to
            kept.append(instr)
        block.instrs = kept
        waiting += [(child, dict(seen)) for child in below[name]]
    function.replace(known)
    return bool(known)


def key_of(instr, types, block):
    """Equal keys, equal results. A constant's type is in how it is written: 1 is not 1.0."""
    if instr.op == "phi":
        return ("phi", block, instr.type, tuple(sorted(instr.incoming)))
    if instr.op not in ir.PURE:
        return None
    args = sorted(instr.args) if instr.op in ir.COMMUTATIVE else instr.args
    return (instr.op, *args)


### END SOLUTION
