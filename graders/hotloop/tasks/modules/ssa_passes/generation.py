"""Hidden programs, newly generated for each session, with their expected outcomes."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from hotloop.tasks.modules.ssa_passes.arithmetic import Value, written
from hotloop.tasks.modules.ssa_passes.edge_cases import EVERY, IN_BLOCKS, IN_PYTHON
from hotloop.tasks.modules.ssa_passes.language import Program
from hotloop.tasks.modules.ssa_passes.lowered import lowered
from hotloop.tasks.modules.ssa_passes.machine import ENDLESS, Broken, RunOutcome, run
from hotloop.tasks.modules.ssa_passes.sources import Drawing, inputs
from hotloop.tasks.modules.ssa_passes.ssa_form import ssa, threaded

MOST_INSTRS = 90
RUNS = 6


@dataclass(frozen=True)
class HiddenProgram:
    """One hidden program. text: what the learner's function is called with. program: its meaning.

    runs: arguments and the outcome for each.
    """

    label: str
    text: str
    program: Program
    runs: tuple[tuple[list[Value], RunOutcome], ...]

    def difference(self, changed: Program) -> str | None:
        """Return how a changed program's outcomes differ from this one's, as a message, or None."""
        for arguments, was in self.runs:
            called = f"{self.program.name}({', '.join(map(written, arguments))})"
            try:
                now = run(changed, arguments)
            except Broken as broken:
                return f"{called} cannot be run: {broken}"
            if not now.agrees(was):
                return f"{called} {now.described()}, and should be such that it {was.described()}"
        return None

    def steps(self, changed: Program) -> tuple[int, int]:
        """Return how many operations all runs execute: this program's and the changed program's."""
        before = sum(was.steps for _, was in self.runs)
        return before, sum(run(changed, arguments).steps for arguments, _ in self.runs)


Maker = Callable[[random.Random, int], tuple[str, Program] | None]
"""Makes the text and the program of a number; None if it has become too large."""


def as_python(rng: random.Random, number: int) -> tuple[str, Program] | None:
    """Make the source of a Python function of ints."""
    beginning = IN_PYTHON.get(number % EVERY, "").splitlines()[1:]
    source = Drawing(rng, floats=False, select=False).source(3 + number % 4, beginning)
    program = lowered(source, lazy=True)
    return (source, program) if _is_small(program) else None


def as_blocks(rng: random.Random, number: int) -> tuple[str, Program] | None:
    """Make a program that is not in SSA form."""
    beginning = IN_BLOCKS.get(number % EVERY, "").splitlines()[1:]
    drawing = Drawing(rng, floats=number % 2 == 0, select=True)
    program = lowered(drawing.source(2 + number % 5, beginning), lazy=number % 3 == 0)
    return (str(program), program) if _is_small(program) else None


def as_ssa(rng: random.Random, number: int) -> tuple[str, Program] | None:
    """Make a program in SSA form."""
    blocks = as_blocks(rng, number)
    if blocks is None:
        return None
    program = ssa(blocks[1], pruned=number % 2 == 0)
    if number % 3:
        program = threaded(program)
    return str(program), program


def _is_small(program: Program) -> bool:
    return sum(1 for _ in program.instrs) <= MOST_INSTRS


def programs(rng: random.Random, maker: Maker, count: int) -> list[HiddenProgram]:
    """Return `count` programs that all terminate, the shortest texts first."""
    sampled: list[HiddenProgram] = []
    while len(sampled) < count:
        small = maker(rng, len(sampled))
        if small is None:
            continue
        text, program = small
        arguments = [inputs(rng, program.params) for _ in range(RUNS)]
        runs = tuple((values, run(program, values)) for values in arguments)
        if any(outcome.result == ENDLESS for _, outcome in runs):
            continue
        sampled.append(HiddenProgram(f"Program {len(sampled) + 1}", text, program, runs))
    return sorted(sampled, key=lambda hidden: len(hidden.text))
