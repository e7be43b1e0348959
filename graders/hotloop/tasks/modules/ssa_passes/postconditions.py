"""What a pass has left to do: the first opportunity that remains in its result.

Each function looks at the result alone, so it does not matter how the pass reached it.
"""

from __future__ import annotations

from hotloop.judge.graphs.graph import expression
from hotloop.tasks.modules.ssa_passes.arithmetic import (
    COMMUTATIVE,
    COMPARISONS,
    PURE,
    Trap,
    evaluate,
    is_name,
    literal,
)
from hotloop.tasks.modules.ssa_passes.flow import dominators, loops, reachable
from hotloop.tasks.modules.ssa_passes.language import Instr, Program, kind_of


def may_trap(instr: Instr, types: dict[str, str]) -> bool:
    """Whether it is an int division whose divisor may be zero."""
    if instr.op not in ("div", "mod") or kind_of(instr.args[0], types) != "int":
        return False
    return literal(instr.args[1]) in (None, 0)


def dead(program: Program) -> str | None:
    """Return a message about the first instruction that affects nothing observable, or None."""
    types = program.types
    definitions = {instr.to: instr for instr in program.instrs if instr.to}
    needed: set[str] = set()
    waiting = [
        i for i in program.instrs if i.op != "phi" and (i.op not in PURE or may_trap(i, types))
    ]
    needed.update(instr.to for instr in waiting if instr.to)
    while waiting:
        for name in waiting.pop().names:
            if name not in needed and name in definitions:
                needed.add(name)
                waiting.append(definitions[name])
    for name, instr in definitions.items():
        if name not in needed:
            return f"“{instr}” is still there, and nobody can notice when it is gone"
    return None


def folded(program: Program) -> str | None:
    """Return a message about the first thing that is known at compile time, or None.

    These are unreachable blocks, decided branches, phis of one value, and operations on constants.
    """
    graph = program.successors()
    missed = set(graph) - reachable(graph, program.blocks[0].name)
    if missed:
        return f"block {min(missed)} is still there, and nothing reaches it"
    for instr in program.instrs:
        if instr.op == "branch" and (not is_name(instr.args[0]) or instr.args[1] == instr.args[2]):
            return f"“{instr}” is decided, and still a branch"
        if instr.op == "phi" and len(set(instr.operands) - {instr.to}) == 1:
            return f"“{instr}” can only be one value, and is still a phi"
        if instr.op in PURE and _known(instr):
            return f"“{instr}” is still there, and its result is known"
    return None


def _known(instr: Instr) -> bool:
    constants = [value for arg in instr.args if (value := literal(arg)) is not None]
    if len(constants) < len(instr.args):
        return False
    try:
        evaluate(instr.op, constants)
    except Trap:
        return False
    return True


def common(program: Program) -> str | None:
    """Return a message about the first instruction that a dominating, equal one makes redundant."""
    above = dominators(program.successors(), program.blocks[0].name)
    seen: dict[tuple[object, ...], list[tuple[str, Instr]]] = {}
    for block in sorted(program.blocks, key=lambda b: len(above.get(b.name, ()))):
        for instr in block.instrs if block.name in above else ():
            key = _key(instr, block.name)
            if key is None:
                continue
            for other, earlier in seen.get(key, []):
                if other in above[block.name]:
                    return f"“{instr}” is computed again: {earlier.to} is that, and known there"
            seen.setdefault(key, []).append((block.name, instr))
    return None


def _key(instr: Instr, block: str) -> tuple[object, ...] | None:
    if instr.op == "phi":
        parts = sorted(f"{label} {value}" for label, value in instr.incoming)
        return ("phi", block, instr.type, *parts)
    return expression(instr.op, instr.args, COMMUTATIVE) if instr.op in PURE else None


def simplified(program: Program) -> str | None:
    """Return a message about the first instruction that the task's list simplifies, or None."""
    types = program.types
    for instr in program.instrs:
        if instr.op in PURE and len(instr.args) > 1 and _simpler(instr, types):
            return f"“{instr}” is still there, and the list says what it gives"
    return None


INTS = {
    *(("add", "0"), ("sub", "0"), ("mul", "1"), ("div", "1")),
    *(("mul", "0"), ("mod", "1"), ("mod", "-1")),
}
FLOATS = {("add", "-0.0"), ("sub", "0.0"), ("mul", "1.0"), ("div", "1.0")}
BOOLS = {("and", "true"), ("and", "false"), ("or", "true"), ("or", "false")}
EQUALS = {
    "int": COMPARISONS | {"sub"},
    "float": frozenset({"lt", "gt"}),
    "bool": frozenset({"and", "or", "eq", "ne"}),
}


def _simpler(instr: Instr, types: dict[str, str]) -> bool:
    if instr.op == "select":
        return instr.args[1] == instr.args[2]
    a, b = instr.args
    kind = kind_of(b, types)
    if a == b and instr.op in EQUALS[str(kind)]:
        return True
    table = {"int": INTS, "float": FLOATS, "bool": BOOLS}[str(kind)]
    return (instr.op, b) in table or (instr.op in COMMUTATIVE and (instr.op, a) in table)


def hoisted(program: Program) -> str | None:
    """Return a message about the first loop-invariant instruction still in its loop, or None."""
    types, graph = program.types, program.successors()
    above = dominators(graph, program.blocks[0].name)
    for header, body in sorted(loops(graph, above).items()):
        inside = [b for b in program.blocks if b.name in body]
        defined = {instr.to for block in inside for instr in block.instrs if instr.to}
        for instr in (instr for block in inside for instr in block.instrs):
            pure = instr.op in PURE and not may_trap(instr, types)
            if pure and defined.isdisjoint(instr.names):
                return f"“{instr}” is still in the loop of {header}, which does not change it"
    return None
