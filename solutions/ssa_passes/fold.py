"""Constant folding and propagation."""

import ir

### BEGIN SOLUTION ssa_passes.fold
### STUB @ir.on_text
### STUB def fold(function):
### STUB     """Compute constants, take decided branches, and remove unreachable blocks."""
### STUB     raise NotImplementedError("ssa_passes.fold")


@ir.on_text
def fold(function):
    """Compute constants, take decided branches, and remove unreachable blocks."""
    changed = True
    while changed:
        changed = fold_values(function)
        changed = fold_branches(function) or changed
        changed = drop_unreachable(function) or changed
    return function


def fold_values(function):
    """One round: instructions of constants, and phis of one value, are what they give."""
    known = {}
    for block in function.blocks:
        kept = []
        for instr in block.instrs:
            value = result(instr, known)
            if value is None:
                kept.append(instr)
            else:
                known[instr.to] = value
        block.instrs = kept
    function.replace(known)
    return bool(known)


def result(instr, known):
    """The constant or name that it stands for, or None."""
    if instr.op == "phi":
        values = set(instr.operands) - {instr.to}
        only = values.pop() if len(values) == 1 else None
        # What this very round has replaced is looked at in the next one.
        return None if only in known else only
    if instr.op not in ir.PURE or not all(map(ir.is_constant, instr.args)):
        return None
    try:
        return ir.constant(ir.evaluate(instr.op, [ir.value_of(arg) for arg in instr.args]))
    except ir.Trap:
        return None


def fold_branches(function):
    """A branch of a constant, or with one target, is a jump."""
    changed = False
    for block in function.blocks:
        end = block.end
        if end.op != "branch" or not (ir.is_constant(end.args[0]) or end.args[1] == end.args[2]):
            continue
        taken = end.args[2] if end.args[0] == "false" else end.args[1]
        block.instrs[-1] = ir.Instr("jump", [taken])
        for missed in set(end.args[1:]) - {taken}:
            forget(function, missed, block.name)
        changed = True
    return changed


def drop_unreachable(function):
    """Blocks that nobody jumps to, and what phis have of them."""
    reached, waiting = {function.entry}, [function.entry]
    while waiting:
        for follower in function.block(waiting.pop()).successors:
            if follower not in reached:
                reached.add(follower)
                waiting.append(follower)
    gone = [block for block in function.blocks if block.name not in reached]
    function.blocks = [block for block in function.blocks if block.name in reached]
    for block in gone:
        for follower in block.successors:
            if follower in reached:
                forget(function, follower, block.name)
    return bool(gone)


def forget(function, block, predecessor):
    """The phis of a block have one predecessor less."""
    for phi in function.block(block).phis:
        phi.args = [part for pair in phi.incoming if pair[0] != predecessor for part in pair]


### END SOLUTION
