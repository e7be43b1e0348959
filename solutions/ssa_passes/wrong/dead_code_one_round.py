"""Removes what nobody reads, once: what only the removed ones read is left for the next run.

fails: dead_code.idempotent
"""


### BEGIN SOLUTION ssa_passes.dead_code
@ir.on_text
def dead_code(function):
    """Without the instructions whose absence nobody can notice."""
    types = function.types
    definitions = {instr.to: instr for instr in function.instrs if instr.to}
    read = {name for instr in definitions.values() for name in instr.names}
    read |= {name for instr in function.instrs for name in instr.names}
    for block in function.blocks:
        block.instrs = [i for i in block.instrs if has_effect(i, types) or i.to in read]
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
