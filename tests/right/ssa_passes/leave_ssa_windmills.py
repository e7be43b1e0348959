"""Parallel moves by depth-first search, as in Rideau, Serpette and Leroy's windmills."""


### BEGIN SOLUTION ssa_passes.leave_ssa
class Moves:
    """Orders moves that happen at once; a cycle is broken by one temporary."""

    def __init__(self, moves, types, fresh):
        self.moves, self.types, self.fresh = moves, types, fresh
        self.state, self.code = dict.fromkeys(moves, "waiting"), []
        for target in moves:
            if self.state[target] == "waiting":
                self.visit(target)

    def visit(self, target):
        if self.moves[target] == target:
            self.state[target] = "done"
            return
        self.state[target] = "open"
        for other in self.moves:
            # What reads the target has to be copied before it is overwritten.
            if self.moves[other] != target or other == target:
                continue
            if self.state[other] == "waiting":
                self.visit(other)
            elif self.state[other] == "open":
                aside = self.fresh()
                self.types[aside] = self.types[target]
                self.emit(aside, target)
                self.moves[other] = aside
        self.emit(target, self.moves[target])
        self.state[target] = "done"

    def emit(self, to, value):
        self.code.append(ir.Instr("copy", [value], to, self.types[to]))


@ir.on_text
def leave(function):
    types = function.types
    names = (f"cycle{n}" for n in range(10**6))

    def fresh():
        return next(name for name in names if name not in types)

    for block in list(function.blocks):
        for label in function.predecessors[block.name]:
            moves = {phi.to: dict(phi.incoming)[label] for phi in block.phis}
            code = Moves(moves, types, fresh).code
            if not code:
                continue
            place = function.block(label)
            if len(place.successors) > 1:
                edge = ir.Block(f"{label}_{block.name}_edge", [ir.Instr("jump", [block.name])])
                function.blocks.append(edge)
                ways = [edge.name if way == block.name else way for way in place.end.args[1:]]
                place.end.args[1:] = ways
                place = edge
            place.instrs[-1:-1] = code
    for block in function.blocks:
        block.instrs = [instr for instr in block.instrs if instr.op != "phi"]
    return function


### END SOLUTION
