"""A scoped hash table: one ChainMap a block, down the dominator tree by recursion."""


### BEGIN SOLUTION ssa_passes.common
from collections import ChainMap


class ValueNumbering:
    def __init__(self, function):
        self.function, self.same = function, {}
        parent = immediate_dominators(function.graph, function.entry)
        self.children = {b: [c for c, p in parent.items() if p == b] for b in parent}
        self.walk(function.entry, ChainMap())
        function.replace(self.same)

    def walk(self, label, table):
        block = self.function.block(label)
        block.instrs = [instr for instr in block.instrs if not self.known(instr, label, table)]
        for child in self.children[label]:
            self.walk(child, table.new_child())

    def known(self, instr, label, table):
        if instr.op not in (*ir.PURE, "phi"):
            instr.replace_operands(self.leader)
            return False
        instr.replace_operands(self.leader)
        args = tuple(instr.args)
        if instr.op == "phi":
            args = (label, *sorted(instr.incoming))
        elif instr.op in ir.COMMUTATIVE:
            args = frozenset([(a, args.count(a)) for a in args])
        first = table.setdefault((instr.op, instr.type, args), instr.to)
        if first == instr.to:
            return False
        self.same[instr.to] = first
        return True

    def leader(self, operand):
        while operand in self.same:
            operand = self.same[operand]
        return operand


@ir.on_text
def common(function):
    while ValueNumbering(function).same:
        pass
    return function


### END SOLUTION
