"""Marks by recursion through a generator of definitions; a new function is built of the marked."""


### BEGIN SOLUTION ssa_passes.dead_code
import dataclasses
import sys


@ir.on_text
def dead_code(function):
    sys.setrecursionlimit(10_000)
    home = {instr.to: instr for instr in function.instrs if instr.to}
    marked = set()

    def mark(instr):
        if id(instr) in marked:
            return
        marked.add(id(instr))
        for name in instr.names:
            if name in home:
                mark(home[name])

    for instr in function.instrs:
        if observable(instr, function.types):
            mark(instr)
    blocks = [
        dataclasses.replace(block, instrs=[i for i in block.instrs if id(i) in marked])
        for block in function.blocks
    ]
    return dataclasses.replace(function, blocks=blocks)


def observable(instr, types):
    match instr:
        case ir.Instr(op="print" | "jump" | "branch" | "return"):
            return True
        case ir.Instr(op="div" | "mod", args=[left, right]) if ir.type_of(left, types) == "int":
            return not (ir.is_constant(right) and ir.value_of(right))
        case _:
            return False


### END SOLUTION
