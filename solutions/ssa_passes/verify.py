"""Is it SSA? Each fault, and where it is."""

from collections import Counter

import ir
from dominance import dominates, immediate_dominators

ORDER = ("lt", "le", "gt", "ge")


def result_type(op, types):
    """What an operation gives for arguments of these types; None where it takes no such ones."""
    if op in ("copy", "not", "float"):
        takes = {"not": "bool", "float": "int"}.get(op)
        fits = len(types) == 1 and takes in (None, types[0])
        return {"not": "bool", "float": "float"}.get(op, types[0]) if fits else None
    if op == "select":
        return types[1] if len(types) == 3 and types[0] == "bool" and types[1] == types[2] else None
    if len(types) != 2 or types[0] != types[1]:
        return None
    kind = types[0]
    if op in ir.LOGIC:
        return "bool" if kind == "bool" else None
    if op in ir.COMPARISONS:
        return None if op in ORDER and kind == "bool" else "bool"
    return None if kind == "bool" or (op == "mod" and kind != "int") else kind


### BEGIN SOLUTION ssa_passes.verify
### STUB def verify(text):
### STUB     """All faults of a program that claims to be in SSA form, as [kind, where]."""
### STUB     raise NotImplementedError("ssa_passes.verify")
def verify(text):
    """All faults of a program that claims to be in SSA form, as [kind, where]."""
    function = ir.parse(text)
    defined = Counter([name for name, _ in function.params])
    defined.update(instr.to for instr in function.instrs if instr.to)
    faults = {("redefined", name) for name, count in defined.items() if count > 1}
    faults |= misplaced(function, defined)
    faults |= bad_phis(function)
    for block in function.blocks:
        for instr in block.instrs:
            known = all(defined[name] == 1 for name in instr.names)
            if known and not fits(instr, function):
                faults.add(("type", instr.to or block.name))
    return [list(fault) for fault in sorted(faults)]


def misplaced(function, defined):
    """What is read where its definition is not, or does not dominate."""
    above = immediate_dominators(function.graph, function.entry)
    places = {
        instr.to: (block.name, number)
        for block in function.blocks
        for number, instr in enumerate(block.instrs)
    }
    faults = set()
    for name, block, number in reads(function):
        if not defined[name]:
            faults.add(("undefined", name))
        elif defined[name] == 1 and name in places and block in above:
            home, at = places[name]
            if at >= number if home == block else not dominates(above, home, block):
                faults.add(("dominance", name))
    return faults


def reads(function):
    """Name, block and place of each read; a phi's is at the end of the block it comes from."""
    sizes = {block.name: len(block.instrs) for block in function.blocks}
    for block in function.blocks:
        for number, instr in enumerate(block.instrs):
            if instr.op == "phi":
                for label, value in instr.incoming:
                    if not ir.is_constant(value) and label in sizes:
                        yield value, label, sizes[label]
            else:
                yield from ((name, block.name, number) for name in instr.names)


def bad_phis(function):
    """Phis that do not have one value for each predecessor, or do not stand at the beginning."""
    faults = set()
    for block in function.blocks:
        wanted = sorted(function.predecessors[block.name])
        for number, instr in enumerate(block.instrs):
            if instr.op != "phi":
                continue
            labels = sorted(label for label, _ in instr.incoming)
            if labels != wanted or any(i.op != "phi" for i in block.instrs[:number]):
                faults.add(("phi", instr.to))
    return faults


def fits(instr, function):
    """Whether its types are those that it says, and takes."""
    kinds = [ir.type_of(operand, function.types) for operand in instr.operands]
    if instr.op == "phi":
        return set(kinds) <= {instr.type}
    if instr.op == "branch":
        return kinds == ["bool"]
    if instr.op == "return":
        return kinds == [function.returns]
    return instr.op in ("jump", "print") or result_type(instr.op, kinds) == instr.type


### END SOLUTION
