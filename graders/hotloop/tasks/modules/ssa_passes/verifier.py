"""Find the faults of a program that claims to be in SSA form, and where they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from hotloop.tasks.modules.ssa_passes.arithmetic import result_type
from hotloop.tasks.modules.ssa_passes.flow import dominators
from hotloop.tasks.modules.ssa_passes.language import Instr, Program, kind_of

Fault = tuple[str, str]

SENTENCES = {
    "redefined": "{} has two definitions",
    "undefined": "{} is read and has no definition",
    "dominance": "{} is read where its definition does not dominate",
    "phi": "the phi {} does not have one value for each predecessor of its block, at its beginning",
    "type": "types do not fit at {}",
    "entry": "something jumps to the first block, {}",
}


def mismatch(program: Program) -> str | None:
    """Return a message about the first fault, or None."""
    for kind, where in sorted(faults(program)):
        return SENTENCES[kind].format(where)
    return None


def untyped(program: Program) -> str | None:
    """Check a program that is not in SSA form: one type for each name, and all types fit.

    Returns a message about the first fault, or None.
    """
    types = dict(program.params)
    for instr in program.instrs:
        if instr.to and types.setdefault(instr.to, instr.type) != instr.type:
            return f"{instr.to} is said to be of two types"
    for block in program.blocks:
        for instr in block.instrs:
            if not _typed(instr, types, program.returns):
                return SENTENCES["type"].format(instr.to or block.name)
    first = program.blocks[0].name
    return SENTENCES["entry"].format(first) if program.predecessors()[first] else None


def faults(program: Program) -> set[Fault]:
    """Return all faults, each as its kind and a name or block."""
    return set(_faults(program))


def _faults(program: Program) -> Iterator[Fault]:
    first = program.blocks[0].name
    predecessors = program.predecessors()
    if predecessors[first]:
        yield "entry", first
    counts = Counter([name for name, _ in program.params])
    counts.update(instr.to for instr in program.instrs if instr.to)
    for name, count in counts.items():
        if count > 1:
            yield "redefined", name
    yield from _misplaced(program, counts)
    types = program.types
    for block in program.blocks:
        others = False
        for instr in block.instrs:
            if instr.op == "phi":
                labels = sorted(label for label, _ in instr.incoming)
                if others or labels != sorted(predecessors[block.name]):
                    yield "phi", instr.to
            others = others or instr.op != "phi"
            known = all(counts[name] == 1 for name in instr.names)
            if known and not _typed(instr, types, program.returns):
                yield "type", instr.to or block.name


def _misplaced(program: Program, counts: Counter[str]) -> Iterator[Fault]:
    """Yield faults of names that are read where they are not defined."""
    above = dominators(program.successors(), program.blocks[0].name)
    places: dict[str, tuple[str, int]] = {}
    for block in program.blocks:
        for number, instr in enumerate(block.instrs):
            if instr.to:
                places[instr.to] = block.name, number
    for name, at_block, at in _reads(program):
        if not counts[name]:
            yield "undefined", name
            continue
        if counts[name] > 1 or name not in places or at_block not in above:
            continue
        block, number = places[name]
        if block not in above[at_block] or (block == at_block and number >= at):
            yield "dominance", name


def _reads(program: Program) -> Iterator[tuple[str, str, int]]:
    """Yield each name that is read, and where. A phi reads at the end of the predecessor."""
    sizes = {block.name: len(block.instrs) for block in program.blocks}
    for block in program.blocks:
        for number, instr in enumerate(block.instrs):
            if instr.op != "phi":
                yield from ((name, block.name, number) for name in instr.names)
                continue
            for label, value in instr.incoming:
                if value in instr.names:
                    yield value, label, sizes.get(label, 0)


def _typed(instr: Instr, types: dict[str, str], returns: str) -> bool:
    kinds = [kind_of(operand, types) or "" for operand in instr.operands]
    if instr.op == "phi":
        return set(kinds) <= {instr.type}
    if instr.op == "branch":
        return kinds == ["bool"]
    if instr.op == "return":
        return kinds == [returns]
    if instr.op in ("jump", "print"):
        return all(kinds)
    return result_type(instr.op, kinds) == instr.type
