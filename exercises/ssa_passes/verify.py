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


### TASK ssa_passes.verify
def verify(text):
    """All faults of a program that claims to be in SSA form, as [kind, where]."""
    raise NotImplementedError("ssa_passes.verify")
