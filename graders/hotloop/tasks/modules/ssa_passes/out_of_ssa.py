"""Checks of leaving SSA form: programs with cyclic phis and lost copies, and a limit on copies.

The limit: on each edge, one copy for each phi whose value changes, and one more for each cycle of
values that only change places.
"""

from __future__ import annotations

import random
from itertools import pairwise

from hotloop.tasks.modules.ssa_passes import verifier
from hotloop.tasks.modules.ssa_passes.generation import as_ssa
from hotloop.tasks.modules.ssa_passes.language import Program, parse

SHAPES = 5
"""Of ten programs, how many are handwritten for cases that random programs rarely contain: two with
a circle of phis, and the three below.
"""


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
        text = _circle(rng, 2 + number % 10)
    else:
        text = (READ_LATER, OLDER_READ_LATER, THREE_WAYS_IN)[number % 10 - 2]
        text = text.format(step=rng.randint(1, 9), rounds=rng.randint(3, 6))
    program = parse(text)
    return str(program), program


def _circle(rng: random.Random, length: int) -> str:
    """A loop whose phis rotate their values, with one more phi that copies the first of them."""
    names = [f"v{place}" for place in range(length)]
    rng.shuffle(names)
    starts = rng.sample(range(-50, 50), length)
    phis = [
        f"  {name}: int = phi b0 {start} b2 {after}"
        for start, (name, after) in zip(starts, pairwise([*names, names[0]]), strict=True)
    ]
    phis.append(f"  follower: int = phi b0 7 b2 {names[0]}")
    rng.shuffle(phis)
    prints = [f"  print {name}" for name in (*names, "follower")]
    lines = "\n".join(phis), "\n".join(prints)
    return CIRCLE.format(phis=lines[0], prints=lines[1], rounds=rng.randint(2, 5))


CIRCLE = """
func f(n: int) -> int
b0:
  jump b1
b1:
{phis}
  count: int = phi b0 0 b2 more
{prints}
  go: bool = lt count {rounds}
  branch go b2 b3
b2:
  more: int = add count 1
  jump b1
b3:
  return n
"""

READ_LATER = """
func f(n: int) -> int
b0:
  jump b1
b1:
  count: int = phi b0 0 b1 more
  kept: int = phi b0 n b1 next
  next: int = add kept {step}
  more: int = add count 1
  go: bool = lt more {rounds}
  branch go b1 b2
b2:
  print count
  print kept
  return kept
"""
"""A loop of one block whose phi is read after it: copies on the back edge need a new block."""

OLDER_READ_LATER = """
func f(n: int) -> int
b0:
  jump b1
b1:
  count: int = phi b0 0 b1 more
  kept: int = phi b0 n b1 next
  older: int = phi b0 1 b1 kept
  next: int = add kept {step}
  more: int = add count 1
  go: bool = lt more {rounds}
  branch go b1 b2
b2:
  print count
  print kept
  print older
  return kept
"""
"""The same with a phi whose new value is another phi's."""

THREE_WAYS_IN = """
func f(n: int) -> int
b0:
  jump b1
b1:
  count: int = phi b0 0 b1 more b2 more
  kept: int = phi b0 n b1 next b2 next
  next: int = add kept {step}
  more: int = add count 1
  rest: int = mod more 2
  odd: bool = eq rest 1
  branch odd b1 b2
b2:
  print kept
  go: bool = lt more {rounds}
  branch go b1 b3
b3:
  return kept
"""
"""A loop with two back edges, both from branches after which the phi is read."""


def moves(program: Program) -> dict[tuple[str, str], dict[str, str]]:
    """Map each edge to its phis' new values, where they are other names or constants."""
    by_edge: dict[tuple[str, str], dict[str, str]] = {}
    for block in program.blocks:
        for phi in block.phis:
            for label, value in phi.incoming:
                if value != phi.to:
                    by_edge.setdefault((label, block.name), {})[phi.to] = value
    return by_edge


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
