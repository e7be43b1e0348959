"""SSA construction: each name gets one definition."""

from collections import Counter

import ir
from dominance import dominance_frontiers, immediate_dominators


### BEGIN SOLUTION ssa_passes.to_ssa
### STUB @ir.on_text
### STUB def to_ssa(function):
### STUB     """The same function in SSA form, with no copy and no phi that is not needed."""
### STUB     raise NotImplementedError("ssa_passes.to_ssa")
@ir.on_text
def to_ssa(function):
    """The same function in SSA form, with no copy and no phi that is not needed."""
    types = function.types
    for block, names in needed_phis(function).items():
        phis = [ir.Instr("phi", [], name, types[name]) for name in names]
        function.block(block).instrs[:0] = phis
    rename(function)
    return function


def needed_phis(function):
    """By block: the names that two definitions reach there, and that are still read."""
    frontiers = dominance_frontiers(function.graph, function.entry)
    alive = live_in(function)
    places = {block.name: [] for block in function.blocks}
    for name in function.types:
        waiting = [b.name for b in function.blocks if any(i.to == name for i in b.instrs)]
        if name in dict(function.params):
            waiting.append(function.entry)
        while waiting:
            for block in frontiers[waiting.pop()]:
                if name not in places[block] and name in alive[block]:
                    places[block].append(name)
                    waiting.append(block)  # a phi is a definition, too
    return places


def live_in(function):
    """By block: the names whose value at its beginning may still be read."""
    alive = {block.name: set() for block in function.blocks}
    changed = True
    while changed:
        changed = False
        for block in reversed(function.blocks):
            now = set().union(*(alive[follower] for follower in block.successors))
            for instr in reversed(block.instrs):
                now = (now - {instr.to}) | set(instr.names)
            if now != alive[block.name]:
                alive[block.name], changed = now, True
    return alive


def rename(function):
    """Give each definition a name of its own, along the dominator tree."""
    above = immediate_dominators(function.graph, function.entry)
    below = {block: [b for b in above if above[b] == block] for block in above}
    # Which variable a phi stands for: its own name will be another one soon.
    variables = {b.name: [phi.to for phi in b.phis] for b in function.blocks}
    count = Counter()
    waiting = [(function.entry, {name: name for name, _ in function.params})]
    while waiting:
        name, now = waiting.pop()
        block = function.block(name)
        block.instrs = [renamed for instr in block.instrs if (renamed := bound(instr, now, count))]
        for follower in block.successors:
            phis = function.block(follower).phis
            for phi, variable in zip(phis, variables[follower], strict=True):
                phi.args += [name, now[variable]]
        waiting += [(child, dict(now)) for child in below[name]]


def bound(instr, now, count):
    """One instruction with names of its own; None for a copy, which only moves a name."""
    if instr.op != "phi":
        instr.replace_operands(lambda operand: now.get(operand, operand))
    if instr.op == "copy":
        now[instr.to] = instr.args[0]
        return None
    if instr.to:
        count[instr.to] += 1
        now[instr.to] = f"{instr.to}_{count[instr.to]}"
        instr.to = now[instr.to]
    return instr


### END SOLUTION
