"""Loop-invariant code motion."""

import ir
from dominance import dominates, immediate_dominators

### BEGIN SOLUTION ssa_passes.hoist
### STUB @ir.on_text
### STUB def hoist(function):
### STUB     """Move each loop's invariant operations to its preheader; insert one where needed."""
### STUB     raise NotImplementedError("ssa_passes.hoist")


@ir.on_text
def hoist(function):
    """Each loop's invariant operations before it, in a block of their own if need be."""
    changed = True
    while changed:  # from an inner loop into the outer one, and out of that
        changed = any(hoist_from(function, *loop) for loop in natural_loops(function).items())
    return function


def natural_loops(function):
    """Bodies by header: all that reaches a back edge without passing the header."""
    above = immediate_dominators(function.graph, function.entry)
    before, found = function.predecessors, {}
    for block in above:
        for header in function.graph[block]:
            if not dominates(above, header, block):
                continue
            body, waiting = found.setdefault(header, {header}), [block]
            while waiting:
                inside = waiting.pop()
                if inside not in body:
                    body.add(inside)
                    waiting += before[inside]
    return found


def hoist_from(function, header, body):
    """Move what may be moved out of one loop; whether anything was."""
    moved, types = [], function.types
    blocks = [block for block in function.blocks if block.name in body]
    inside = {instr.to for block in blocks for instr in block.instrs if instr.to}
    changed = True
    while changed:
        changed = False
        for block in blocks:
            for instr in list(block.instrs):
                if movable(instr, types) and inside.isdisjoint(instr.names):
                    block.instrs.remove(instr)
                    inside.remove(instr.to)
                    moved.append(instr)
                    changed = True
    if moved:
        preheader(function, header, body).instrs[-1:-1] = moved
    return bool(moved)


def movable(instr, types):
    """Computing it where nobody asked for it must not be seen: no effect, and no trap."""
    if instr.op not in ir.PURE:
        return False
    if instr.op in ("div", "mod") and ir.type_of(instr.args[0], types) == "int":
        return ir.is_constant(instr.args[1]) and ir.value_of(instr.args[1]) != 0
    return True


def preheader(function, header, body):
    """The block from which alone the loop is entered; made where there is none."""
    outside = [b for b in function.predecessors[header] if b not in body]
    if len(outside) == 1 and function.block(outside[0]).end.op == "jump":
        return function.block(outside[0])
    names = {block.name for block in function.blocks}
    name = next(n for n in (f"{header}_before{i}" for i in range(len(names) + 1)) if n not in names)
    made = ir.Block(name)
    for block in map(function.block, outside):
        start = 1 if block.end.op == "branch" else 0
        block.end.args[start:] = [name if b == header else b for b in block.end.args[start:]]
    for phi in function.block(header).phis:
        made_here = [part for pair in phi.incoming if pair[0] in outside for part in pair]
        kept = [part for pair in phi.incoming if pair[0] not in outside for part in pair]
        value = made_here[1]
        if len(outside) > 1:
            value = f"{phi.to}_{name}"
            made.instrs.append(ir.Instr("phi", made_here, value, phi.type))
        phi.args = [name, value, *kept]
    made.instrs.append(ir.Instr("jump", [header]))
    place = [block.name for block in function.blocks].index(header)
    function.blocks.insert(place, made)
    return made


### END SOLUTION
