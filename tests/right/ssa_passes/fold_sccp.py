"""Sparse conditional constant propagation: a lattice and two worklists, then one clean-up."""


### BEGIN SOLUTION ssa_passes.fold
from collections import defaultdict

UNKNOWN, VARIES = "?", "!"


class Propagation:
    def __init__(self, function):
        self.function = function
        self.cell = {name: VARIES for name, _ in function.params}
        self.cell |= {instr.to: UNKNOWN for instr in function.instrs if instr.to}
        self.readers = defaultdict(list)
        for block in function.blocks:
            for instr in block.instrs:
                for name in instr.names:
                    self.readers[name].append((block, instr))
        self.edges, self.visited = set(), set()
        self.flow, self.names = [("", function.entry)], []
        while self.flow or self.names:
            self.follow() if self.flow else self.look_again()

    def follow(self):
        edge = self.flow.pop()
        if edge in self.edges:
            return
        self.edges.add(edge)
        block = self.function.block(edge[1])
        for instr in block.phis if block.name in self.visited else block.instrs:
            self.visit(block, instr)
        self.visited.add(block.name)

    def look_again(self):
        for block, instr in self.readers[self.names.pop()]:
            if block.name in self.visited:
                self.visit(block, instr)

    def value(self, operand):
        return operand if ir.is_constant(operand) else self.cell[operand]

    def visit(self, block, instr):
        if instr.op in ("jump", "branch"):
            self.flow += [(block.name, way) for way in self.ways(instr)]
        elif instr.op == "phi":
            coming = [v for b, v in instr.incoming if (b, block.name) in self.edges]
            known = {self.value(v) for v in coming} - {UNKNOWN}
            self.assign(instr.to, UNKNOWN if not known else known.pop() if len(known) == 1 else VARIES)
        elif instr.to:
            self.assign(instr.to, self.computed(instr))

    def ways(self, end):
        if end.op == "jump":
            return end.args
        value = self.value(end.args[0])
        if value == UNKNOWN:
            return []
        return end.args[1:] if value == VARIES else [end.args[1 if value == "true" else 2]]

    def computed(self, instr):
        values = [self.value(operand) for operand in instr.operands]
        if VARIES in values:
            return VARIES
        if UNKNOWN in values:
            return UNKNOWN
        try:
            return ir.constant(ir.evaluate(instr.op, [ir.value_of(v) for v in values]))
        except ir.Trap:
            return VARIES

    def assign(self, name, value):
        if value not in (UNKNOWN, self.cell[name]):
            self.cell[name] = value if self.cell[name] == UNKNOWN else VARIES
            self.names.append(name)


@ir.on_text
def fold(function):
    before = None
    while str(function) != before:
        before = str(function)
        found = Propagation(function)
        constants = {n: v for n, v in found.cell.items() if v not in (UNKNOWN, VARIES)}
        function.blocks = [b for b in function.blocks if b.name in found.visited]
        for block in function.blocks:
            block.instrs = [i for i in block.instrs if i.to not in constants]
            for phi in block.phis:
                pairs = [p for p in phi.incoming if (p[0], block.name) in found.edges]
                phi.args = [part for pair in pairs for part in pair]
            if block.end.op == "branch":
                ways = {w for w in block.end.args[1:] if (block.name, w) in found.edges}
                if len(ways) == 1:
                    block.instrs[-1] = ir.Instr("jump", list(ways))
        function.replace(constants)
        while drop_phi(function):
            pass
    return function


def drop_phi(function):
    for block in function.blocks:
        for phi in block.phis:
            others = set(phi.operands) - {phi.to}
            if len(others) == 1:
                block.instrs.remove(phi)
                function.replace({phi.to: others.pop()})
                return True
    return False


### END SOLUTION
