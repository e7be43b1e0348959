"""Puts copies at the end of a block that may also go elsewhere.

fails: leave_ssa.same
"""


### BEGIN SOLUTION ssa_passes.leave_ssa
@ir.on_text
def leave(function):
    """Without phis: copies assign names, and outside nothing else is seen."""
    types = function.types
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


def one_by_one(moves, known, types):
    """Copies, one after the other, that do what these moves do at once: from target to source."""
    waiting = {to: value for to, value in moves.items() if to != value}
    copies = []
    while waiting:
        free = next((to for to in waiting if to not in waiting.values()), None)
        if free is None:
            # Only cycles are left: put one value aside, and read it there.
            to = next(iter(waiting))
            aside = f"{to}_aside"
            while aside in known:
                aside += "_"
            known.add(aside)
            copies.append(ir.Instr("copy", [to], aside, types[to]))
            waiting = {t: aside if value == to else value for t, value in waiting.items()}
            continue
        copies.append(ir.Instr("copy", [waiting.pop(free)], free, types[free]))
    return copies


### END SOLUTION
