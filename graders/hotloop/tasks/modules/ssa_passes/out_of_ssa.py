"""Checks of leaving SSA form: programs with cyclic phis and lost copies, and a limit on copies.

The limit: on each edge, one copy for each phi whose value changes, and one more for each cycle of
values that only change places.
"""

from __future__ import annotations

import random
from collections.abc import Sequence
from itertools import pairwise

from hotloop.tasks.modules.ssa_passes import verifier
from hotloop.tasks.modules.ssa_passes.generation import as_ssa
from hotloop.tasks.modules.ssa_passes.language import Block, Instr, Program

SHAPES = 5
"""Of ten programs, how many are handwritten for cases that random programs rarely contain."""


def without_phis(program: Program) -> str | None:
    """Return a message if a phi is left or the types do not fit, else None."""
    for instr in program.instrs:
        if instr.op == "phi":
            return f"“{instr}” is still there"
    return verifier.untyped(program)


def as_phis(rng: random.Random, number: int) -> tuple[str, Program] | None:
    """Make a program in SSA form; half of them have cycles of phis, or phis read after the loop."""
    if number % 10 >= SHAPES:
        return as_ssa(rng, number)
    if number % 10 < 2:
        program = _circle(rng, 2 + number % 10)
    else:
        program = _read_later(rng, number) if number % 10 < 4 else _three_ways_in(rng)
    return str(program), program


def _circle(rng: random.Random, length: int) -> Program:
    """A loop whose phis rotate their values, with one more phi that copies the first of them."""
    names = [f"v{place}" for place in range(length)]
    rng.shuffle(names)
    starts = rng.sample(range(-50, 50), length)
    phis = [
        Instr("phi", ("b0", str(start), "b2", after), name, "int")
        for start, (name, after) in zip(starts, pairwise([*names, names[0]]), strict=True)
    ]
    phis.append(Instr("phi", ("b0", "7", "b2", names[0]), "follower", "int"))
    rng.shuffle(phis)
    seen = [Instr("print", (name,)) for name in (*names, "follower")]
    return _loop(phis, seen, rounds=rng.randint(2, 5))


def _loop(phis: Sequence[Instr], seen: Sequence[Instr], rounds: int) -> Program:
    count = Instr("phi", ("b0", "0", "b2", "more"), "count", "int")
    less = Instr("lt", ("count", str(rounds)), "go", "bool")
    blocks = [
        Block("b0", [Instr("jump", ("b1",))]),
        Block("b1", [*phis, count, *seen, less, Instr("branch", ("go", "b2", "b3"))]),
        Block("b2", [Instr("add", ("count", "1"), "more", "int"), Instr("jump", ("b1",))]),
        Block("b3", [Instr("return", ("n",))]),
    ]
    return Program("f", [("n", "int")], "int", blocks)


def _read_later(rng: random.Random, number: int) -> Program:
    """A loop of one block whose phi is read after it: copies on the back edge need a new block."""
    step, rounds = rng.randint(1, 9), rng.randint(2, 5)
    phis = [
        Instr("phi", ("b0", "0", "b1", "more"), "count", "int"),
        Instr("phi", ("b0", "n", "b1", "next"), "kept", "int"),
    ]
    if number % 2:
        phis.append(Instr("phi", ("b0", "1", "b1", "kept"), "older", "int"))
    loop = [
        Instr("add", ("kept", str(step)), "next", "int"),
        Instr("add", ("count", "1"), "more", "int"),
        Instr("lt", ("more", str(rounds)), "go", "bool"),
        Instr("branch", ("go", "b1", "b2")),
    ]
    seen = [Instr("print", (phi.to,)) for phi in phis]
    blocks = [
        Block("b0", [Instr("jump", ("b1",))]),
        Block("b1", [*phis, *loop]),
        Block("b2", [*seen, Instr("return", ("kept",))]),
    ]
    return Program("f", [("n", "int")], "int", blocks)


def _three_ways_in(rng: random.Random) -> Program:
    """A loop with two back edges, both from branches after which the phi is read."""
    step, rounds = rng.randint(1, 9), rng.randint(3, 6)
    header = [
        Instr("phi", ("b0", "0", "b1", "more", "b2", "more"), "count", "int"),
        Instr("phi", ("b0", "n", "b1", "next", "b2", "next"), "kept", "int"),
        Instr("add", ("kept", str(step)), "next", "int"),
        Instr("add", ("count", "1"), "more", "int"),
        Instr("mod", ("more", "2"), "rest", "int"),
        Instr("eq", ("rest", "1"), "odd", "bool"),
        Instr("branch", ("odd", "b1", "b2")),
    ]
    seen = Instr("print", ("kept",))
    less = Instr("lt", ("more", str(rounds)), "go", "bool")
    blocks = [
        Block("b0", [Instr("jump", ("b1",))]),
        Block("b1", header),
        Block("b2", [seen, less, Instr("branch", ("go", "b1", "b3"))]),
        Block("b3", [Instr("return", ("kept",))]),
    ]
    return Program("f", [("n", "int")], "int", blocks)


def moves(program: Program) -> dict[tuple[str, str], dict[str, str]]:
    """Map each edge to its phis' new values, where they are other names or constants."""
    found: dict[tuple[str, str], dict[str, str]] = {}
    for block in program.blocks:
        for phi in block.phis:
            for label, value in phi.incoming:
                if value != phi.to:
                    found.setdefault((label, block.name), {})[phi.to] = value
    return found


def enough(program: Program) -> int:
    """Return how many copies suffice."""
    return sum(len(edge) + _circles(edge) for edge in moves(program).values())


def _circles(edge: dict[str, str]) -> int:
    """Return the number of cycles in which each name gets the next one's value."""
    on_circles: set[str] = set()
    count = 0
    for start in edge:
        way, here = [start], edge[start]
        while here in edge and here not in way:
            way.append(here)
            here = edge[here]
        if here == start and start not in on_circles:
            on_circles |= set(way)
            count += 1
    return count
