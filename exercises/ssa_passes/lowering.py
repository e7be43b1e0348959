"""A Python function as blocks and jumps.

Supported: a function of ints, with annotations; assignments (=, +=, -=, *=, //=, %=) to
names; + - * // % and unary -; comparisons of two, and, or, not, in conditions; if, while, for … in
range(…) with one or two bounds, break, continue, print(…) of one value, return. An int has 64 bits
here.
"""

import ast

import ir

BINARY = {ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.FloorDiv: "div", ast.Mod: "mod"}
COMPARE = {
    ast.Lt: "lt",
    ast.LtE: "le",
    ast.Gt: "gt",
    ast.GtE: "ge",
    ast.Eq: "eq",
    ast.NotEq: "ne",
}


class Builder:
    """The function in the making: instructions go to the end of the block that is open."""

    def __init__(self, name, params):
        self.function = ir.Function(name, [(param, "int") for param in params], "int")
        self.temporaries = self.labels = 0
        self.leaves = []  # of the loops around: where break goes, and where continue
        self.open(self.label())

    def label(self):
        """The name of a block that will be opened later."""
        self.labels += 1
        return f"b{self.labels - 1}"

    def open(self, label):
        """What comes next is in this block."""
        self.function.blocks.append(ir.Block(label))

    def emit(self, op, *args, to="", kind=""):
        self.function.blocks[-1].instrs.append(ir.Instr(op, list(args), to, kind))

    def result(self, op, *args, kind="int"):
        """Emit it, with a new name for its result; the name."""
        self.temporaries += 1
        name = f"_t{self.temporaries}"
        self.emit(op, *args, to=name, kind=kind)
        return name


### TASK ssa_passes.lowering
def lower(source):
    """The text of the function in blocks, all of them reached; not in SSA form."""
    raise NotImplementedError("ssa_passes.lowering")
