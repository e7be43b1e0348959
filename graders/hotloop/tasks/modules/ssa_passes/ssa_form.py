"""SSA construction, the slow way: a phi for every variable at every join, less those not needed.

It uses no dominance frontiers, so that it shares nothing with the algorithm that is taught.
"""

from __future__ import annotations

from collections.abc import Callable

from hotloop.tasks.modules.ssa_passes.arithmetic import is_name
from hotloop.tasks.modules.ssa_passes.language import Block, Instr, Program

UNSET = {"int": "0", "float": "0.0", "bool": "false"}


def ssa(program: Program, *, pruned: bool = True) -> Program:
    """Return the program in SSA form, without copies. All its blocks must be reachable.

    pruned: whether to remove phis that only phis read.
    """
    single = _without_single_phis(_Construction(program).made())
    return renumbered(_pruned(single) if pruned else single)


class _Construction:
    """Renames variables.

    A phi reads an unset variable as 0; no other instruction reads that phi.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.types = program.types
        self.before = program.predecessors()
        self.crossing = _crossing(program)
        self.numbers: dict[str, int] = {}
        self.starts: dict[str, dict[str, str]] = {}
        self.ends: dict[str, dict[str, str]] = {}

    def fresh(self, name: str) -> str:
        self.numbers[name] = self.numbers.get(name, 0) + 1
        return f"{name}_{self.numbers[name]}"

    def made(self) -> Program:
        program, bodies = self.program, dict[str, list[Instr]]()
        waiting = list(program.blocks)
        while waiting:
            block = waiting.pop(0)
            start = self.start(block)
            if start is None:
                waiting.append(block)
                continue
            self.starts[block.name] = start
            bodies[block.name] = self.renamed(block, dict(start))
        blocks = [Block(b.name, [*self.phis(b.name), *bodies[b.name]]) for b in program.blocks]
        return program.with_blocks(blocks)

    def start(self, block: Block) -> dict[str, str] | None:
        """Return each variable's value at the block's start; None if its predecessor isn't done."""
        before = self.before[block.name]
        if not before:
            unset = {name: UNSET[self.types[name]] for name in self.crossing}
            return unset | {name: name for name, _ in self.program.params}
        if len(before) > 1:
            return {name: self.fresh(name) for name in self.crossing}
        end = self.ends.get(before[0])
        return None if end is None else dict(end)

    def renamed(self, block: Block, now: dict[str, str]) -> list[Instr]:
        body: list[Instr] = []
        for instr in block.instrs:
            args = tuple(now.get(arg, arg) if arg in instr.names else arg for arg in instr.args)
            if instr.op == "copy":
                now[instr.to] = args[0]
                continue
            to = self.fresh(instr.to) if instr.to else ""
            body.append(instr._replace(args=args, to=to))
            if to:
                now[instr.to] = to
        self.ends[block.name] = now
        return body

    def phis(self, name: str) -> list[Instr]:
        before = self.before[name]
        if len(before) < 2:
            return []
        return [
            Instr(
                "phi",
                tuple(part for b in before for part in (b, self.ends[b][variable])),
                self.starts[name][variable],
                self.types[variable],
            )
            for variable in self.crossing
        ]


def _crossing(program: Program) -> list[str]:
    """Return the variables that some block reads before it sets them."""
    names: dict[str, None] = dict.fromkeys(name for name, _ in program.params)
    for block in program.blocks:
        own: set[str] = set()
        for instr in block.instrs:
            names.update((name, None) for name in instr.names if name not in own)
            own.add(instr.to)
    return list(names)


def _without_single_phis(program: Program) -> Program:
    """Remove phis that can have only one value."""
    phis = {instr.to: set(instr.operands) for instr in program.instrs if instr.op == "phi"}
    stands_for: dict[str, str] = {}

    def end(value: str) -> str:
        while value in stands_for:
            value = stands_for[value]
        return value

    changed = True
    while changed:
        changed = False
        for name, values in phis.items():
            others = {end(value) for value in values} - {name}
            if name not in stands_for and len(others) == 1:
                stands_for[name] = others.pop()
                changed = True
    program = _filtered(program, lambda instr: instr.to not in stands_for)
    return mapped(program, {name: end(name) for name in stands_for})


def _pruned(program: Program) -> Program:
    """Remove phis that only phis read."""
    read = {name for i in program.instrs if i.op != "phi" for name in i.names}
    kept = {i.to: i for i in program.instrs if i.op == "phi"}
    waiting = [name for name in read if name in kept]
    while waiting:
        for name in kept[waiting.pop()].names:
            if name not in read:
                read.add(name)
                waiting += [name] if name in kept else []
    return _filtered(program, lambda instr: instr.op != "phi" or instr.to in read)


def _filtered(program: Program, keep: Callable[[Instr], bool]) -> Program:
    blocks = [Block(b.name, [i for i in b.instrs if keep(i)]) for b in program.blocks]
    return program.with_blocks(blocks)


def mapped(program: Program, names: dict[str, str]) -> Program:
    """Return the program with values renamed, including definitions; labels stay."""

    def instr(old: Instr) -> Instr:
        args = list(old.args)
        for place, arg in enumerate(args):
            is_label = (old.op == "phi" and place % 2 == 0) or (old.op == "branch" and place > 0)
            if not is_label and old.op != "jump" and is_name(arg):
                args[place] = names.get(arg, arg)
        return old._replace(args=tuple(args), to=names.get(old.to, old.to) if old.to else "")

    blocks = [Block(b.name, [instr(i) for i in b.instrs]) for b in program.blocks]
    return program.with_blocks(blocks)


def renumbered(program: Program) -> Program:
    """Rename values to t0, t1, … and blocks to b0, b1, … in the order of the text. Params stay."""
    names = {param: param for param, _ in program.params}
    count = 0
    for instr in program.instrs:
        if instr.to and instr.to not in names:
            names[instr.to] = f"t{count}"
            count += 1
    program = mapped(program, names)
    labels = {block.name: f"b{number}" for number, block in enumerate(program.blocks)}
    blocks = [
        Block(labels[b.name], [_relabeled(i, labels) for i in b.instrs]) for b in program.blocks
    ]
    return program.with_blocks(blocks)


def _relabeled(instr: Instr, labels: dict[str, str]) -> Instr:
    args = list(instr.args)
    if instr.op == "phi":
        args[::2] = [labels.get(label, label) for label in args[::2]]
    elif instr.op == "branch":
        args[1:] = [labels[label] for label in args[1:]]
    elif instr.op == "jump":
        args = [labels[args[0]]]
    return instr._replace(args=tuple(args))


def threaded(program: Program) -> Program:
    """Remove blocks that only jump, where phis allow, so that loops lose their preheaders."""
    for empty in [block.name for block in program.blocks[1:]]:
        block = next(block for block in program.blocks if block.name == empty)
        if len(block.instrs) > 1 or block.instrs[0].op != "jump":
            continue
        (target,) = block.instrs[0].args
        before = program.predecessors()
        if target == empty or set(before[empty]) & set(before[target]) or not before[empty]:
            continue
        program = _without(program, empty, target, before[empty])
    return renumbered(program)


def _without(program: Program, empty: str, target: str, before: list[str]) -> Program:
    def instr(old: Instr, block: str) -> Instr:
        if old.op == "phi" and block == target:
            pairs = [(b, v) for b, v in old.incoming if b != empty]
            value = dict(old.incoming)[empty]
            pairs += [(b, value) for b in before]
            return old._replace(args=tuple(part for pair in pairs for part in pair))
        if old.op in ("branch", "jump"):
            start = old.op == "branch"
            ways = tuple(target if way == empty else way for way in old.args[start:])
            return old._replace(args=(*old.args[:start], *ways))
        return old

    blocks = [
        Block(b.name, [instr(i, b.name) for i in b.instrs])
        for b in program.blocks
        if b.name != empty
    ]
    return program.with_blocks(blocks)
