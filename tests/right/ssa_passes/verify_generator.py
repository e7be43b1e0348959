"""One generator of faults over a table of definitions; dominance by reachability without a block."""


### BEGIN SOLUTION ssa_passes.verify
def verify(text):
    function = ir.parse(text)
    return list(dict.fromkeys(faults(function)))


def faults(function):
    homes = {}
    for name, _ in function.params:
        homes.setdefault(name, []).append(None)
    for block in function.blocks:
        for at, instr in enumerate(block.instrs):
            if instr.to:
                homes.setdefault(instr.to, []).append((block.name, at))
    yield from (("redefined", name) for name, places in homes.items() if len(places) > 1)
    everywhere = reach(function, None)
    for block in function.blocks:
        before = function.predecessors[block.name]
        seen_other = False
        for at, instr in enumerate(block.instrs):
            if instr.op == "phi":
                labels = [label for label, _ in instr.incoming]
                if seen_other or sorted(labels) != sorted(before):
                    yield "phi", instr.to
            seen_other |= instr.op != "phi"
            for name, label, place in uses(function, block, at, instr):
                if name not in homes:
                    yield "undefined", name
                elif len(homes[name]) == 1 and homes[name][0] and label in everywhere:
                    home, when = homes[name][0]
                    late = when >= place if home == label else label in reach(function, home)
                    if late:
                        yield "dominance", name
            if all(len(homes.get(n, ())) == 1 for n in instr.names) and mistyped(instr, function):
                yield "type", instr.to or block.name


def uses(function, block, at, instr):
    if instr.op != "phi":
        return [(name, block.name, at) for name in instr.names]
    ends = {b.name: len(b.instrs) for b in function.blocks}
    return [(v, b, ends[b]) for b, v in instr.incoming if not ir.is_constant(v) and b in ends]


def reach(function, without):
    found, todo = set(), [function.entry]
    while todo:
        label = todo.pop()
        if label not in found and label != without:
            found.add(label)
            todo += function.block(label).successors
    return found


def mistyped(instr, function):
    kinds = [ir.type_of(o, function.types) for o in instr.operands]
    match instr.op:
        case "phi":
            return any(kind != instr.type for kind in kinds)
        case "branch":
            return kinds != ["bool"]
        case "return":
            return kinds != [function.returns]
        case "jump" | "print":
            return False
    return result_type(instr.op, kinds) != instr.type


### END SOLUTION
