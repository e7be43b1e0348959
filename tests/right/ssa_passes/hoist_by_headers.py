"""Loops from sets of dominators, innermost first; each gets its preheader before anything moves."""


### BEGIN SOLUTION ssa_passes.hoist
def doms(function):
    order = [function.entry]
    for label in order:
        order += [f for f in function.block(label).successors if f not in order]
    before = function.predecessors
    found = dict.fromkeys(order, frozenset(order)) | {function.entry: frozenset([function.entry])}
    stable = False
    while not stable:
        stable = True
        for label in order[1:]:
            new = frozenset.intersection(*(found[b] for b in before[label] if b in found)) | {label}
            stable &= new == found[label]
            found[label] = new
    return found


def loops(function):
    above, bodies, before = doms(function), {}, function.predecessors
    for tail in above:
        for header in function.block(tail).successors:
            if header in above[tail]:
                body = bodies.setdefault(header, {header})
                stack = [tail]
                while stack:
                    label = stack.pop()
                    if label not in body:
                        body.add(label)
                        stack.extend(before[label])
    return sorted(bodies.items(), key=lambda pair: len(pair[1]))


def invariant(instr, inside, types):
    if instr.op not in ir.PURE or inside.intersection(instr.names):
        return False
    if instr.op in {"div", "mod"} and ir.type_of(instr.args[0], types) == "int":
        divisor = instr.args[1]
        return ir.is_constant(divisor) and ir.value_of(divisor) != 0
    return True


def candidates(function, body):
    types, found = function.types, []
    inside = {i.to for b in function.blocks if b.name in body for i in b.instrs if i.to}
    while True:
        more = [
            (block, instr)
            for block in function.blocks
            if block.name in body
            for instr in block.instrs
            if invariant(instr, inside, types) and all(instr is not i for _, i in found)
        ]
        if not more:
            return found
        found += more
        inside -= {instr.to for _, instr in more}


@ir.on_text
def hoist(function):
    for header, body in loops(function):
        found = candidates(function, body)
        if not found:
            continue
        target = entrance(function, header, body)
        for block, instr in found:
            block.instrs = [i for i in block.instrs if i is not instr]
            target.instrs.insert(len(target.instrs) - 1, instr)
        return hoist(function)
    return function


def entrance(function, header, body):
    outside = [b for b in function.blocks if header in b.successors and b.name not in body]
    if len(outside) == 1 and len(outside[0].successors) == 1 and outside[0].end.op == "jump":
        return outside[0]
    block = ir.Block(f"pre_{header}")
    while any(b.name == block.name for b in function.blocks):
        block.name += "_"
    labels = {b.name for b in outside}
    for phi in function.block(header).phis:
        entering = [pair for pair in phi.incoming if pair[0] in labels]
        staying = [pair for pair in phi.incoming if pair[0] not in labels]
        value = entering[0][1]
        if len(entering) > 1:
            value = f"{phi.to}_{block.name}"
            args = [part for pair in entering for part in pair]
            block.instrs.append(ir.Instr("phi", args, value, phi.type))
        phi.args = [block.name, value, *(part for pair in staying for part in pair)]
    for other in outside:
        first = 1 if other.end.op == "branch" else 0
        ends = other.end.args[first:]
        other.end.args[first:] = [block.name if way == header else way for way in ends]
    block.instrs.append(ir.Instr("jump", [header]))
    function.blocks.append(block)
    return block


### END SOLUTION
