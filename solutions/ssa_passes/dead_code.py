"""Dead-code elimination."""

import ir

### BEGIN SOLUTION ssa_passes.dead_code
### STUB @ir.on_text
### STUB def dead_code(function):
### STUB     """Remove the instructions that have no observable effect."""
### STUB     raise NotImplementedError("ssa_passes.dead_code")


@ir.on_text
def dead_code(function):
    """Remove the instructions that have no observable effect."""
    types = function.types
    definitions = {instr.to: instr for instr in function.instrs if instr.to}
    needed = {id(instr) for instr in function.instrs if has_effect(instr, types)}
    waiting = [instr for instr in function.instrs if id(instr) in needed]
    while waiting:
        for name in waiting.pop().names:
            instr = definitions.get(name)
            if instr is not None and id(instr) not in needed:
                needed.add(id(instr))
                waiting.append(instr)
    for block in function.blocks:
        block.instrs = [instr for instr in block.instrs if id(instr) in needed]
    return function


def has_effect(instr, types):
    """Whether it does something beside computing its result. A trap is seen from outside."""
    if instr.op not in ir.PURE:
        return instr.op != "phi"
    return may_trap(instr, types)


def may_trap(instr, types):
    """An int's division, unless its divisor is a constant that is not zero."""
    if instr.op not in ("div", "mod") or ir.type_of(instr.args[0], types) != "int":
        return False
    divisor = instr.args[1]
    return not ir.is_constant(divisor) or ir.value_of(divisor) == 0


### END SOLUTION
