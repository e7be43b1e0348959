"""Copies every value aside before it copies any to its place.

fails: leave_ssa.few
"""


### BEGIN SOLUTION ssa_passes.leave_ssa
@ir.on_text
def leave(function):
    """Without phis: copies assign names, and outside nothing else is seen."""
    types = function.types
    split(function)
    known = set(types)
    moves = {block.name: {} for block in function.blocks}
    for block in function.blocks:
        for phi in block.phis:
            for label, value in phi.incoming:
                moves[label][phi.to] = value
        block.instrs = block.instrs[len(block.phis) :]
    for block in function.blocks:
        block.instrs[-1:-1] = one_by_one(moves[block.name], known, types)
    return function


def split(function):
    """A block of its own for each edge from a branch to a block with phis and other ways in."""
    before = function.predecessors
    for block in list(function.blocks):
        for follower in block.successors:
            target = function.block(follower)
            if len(block.successors) < 2 or len(before[follower]) < 2 or not target.phis:
                continue
            name = f"{block.name}_to_{follower}"
            function.blocks.append(ir.Block(name, [ir.Instr("jump", [follower])]))
            block.end.args[1:] = [name if way == follower else way for way in block.end.args[1:]]
            for phi in target.phis:
                phi.args[::2] = [name if way == block.name else way for way in phi.args[::2]]


def one_by_one(moves, known, types):
    """First every value under a name of its own, then each of those to its place."""
    first, then = [], []
    for to, value in moves.items():
        aside = f"{to}_aside"
        while aside in known:
            aside += "_"
        known.add(aside)
        first.append(ir.Instr("copy", [value], aside, types[to]))
        then.append(ir.Instr("copy", [aside], to, types[to]))
    return first + then


### END SOLUTION
