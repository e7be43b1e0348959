"""Questions about cycles: issue cycles of straight-line programs, and bank conflicts."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from hotloop.core.wire import as_list
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, disassemble, misfit
from hotloop.engines.accelerator.run import run
from hotloop.judge.questions import Question, shown

PROGRAMS = 12
ACCESSES = 30
OTHER_SEEDS = range(2, 500)


def issue_questions(generator: np.random.Generator) -> Iterator[Question]:
    """Yield programs without branches, transfers and `vsel`; the answer lists issue cycles."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number in range(1, PROGRAMS + 1):
        machine = machines.draw(rng.choice(OTHER_SEEDS))
        program = straight_line(machine, rng, bundles=4 + 3 * number)
        result = run(machine, program, [], range(0), 10**6, record=True)
        want = [cycle for _, cycle in sorted({(e.bundle, e.start) for e in result.events})]
        text = disassemble(program)

        def mismatch(got: object, want: list[int] = want, text: str = text) -> str | None:
            cycles = as_list(got)
            if len(cycles) != len(want):
                return f"it returns {shown(got)}, not a list of {len(want)} cycles"
            for at, (mine, cycle) in enumerate(zip(cycles, want, strict=True)):
                if type(mine) is not int or mine != cycle:
                    line = text.splitlines()[at].strip()
                    return f"bundle {at}, `{line}`, issues in cycle {cycle}, got {shown(mine)}"
            return None

        arguments = (text.splitlines(), machine.as_dict())
        yield Question(f"Program {number}, machine {machine.seed}", arguments, mismatch)


def straight_line(machine: Machine, rng: random.Random, bundles: int) -> Program:
    """Return bundles that depend on each other, with at most one access to the scratchpad each."""
    program = Program()
    while len(program.bundles) < bundles:
        bundle: list[Instruction] = []
        for _ in range(rng.randint(1, machine.width)):
            each = _any(rng)
            memory = each.unit in ("load", "store")
            accesses = sum(other.unit in ("load", "store") for other in bundle)
            if not (memory and accesses) and misfit([*bundle, each], machine) is None:
                bundle.append(each)
        if bundle:
            program.bundles.append(tuple(bundle))
    return program


def _any(rng: random.Random) -> Instruction:
    def s() -> str:
        return f"s{rng.randrange(6)}"

    def v() -> str:
        return f"v{rng.randrange(6)}"

    choices = (
        ("add", s(), s(), str(rng.randrange(9))),
        ("mul", s(), s(), s()),
        ("xor", s(), s(), s()),
        ("vadd", v(), v(), s()),
        ("vmul", v(), v(), v()),
        ("vshr", v(), v(), str(rng.randrange(9))),
        ("vsum", s(), v()),
        ("vmov", v(), s()),
        # s15 is never written, so that addresses stay within the scratchpad
        ("ld", s(), "s15", str(rng.randrange(64))),
        ("st", "s15", str(rng.randrange(64)), s()),
    )
    name, *operands = rng.choice(choices)
    return Instruction(name, tuple(operands))


def bank_questions(generator: np.random.Generator) -> Iterator[Question]:
    """Yield the addresses that a bundle accesses; the answer is how many cycles that takes."""
    rng = random.Random(int(generator.integers(1 << 62)))
    for number in range(1, ACCESSES + 1):
        machine = machines.draw(rng.choice(OTHER_SEEDS))
        base, stride = (
            rng.randrange(200),
            rng.choice((0, 1, 2, 3, machine.banks, machine.banks + 1)),
        )
        addresses = [base + stride * lane for lane in range(machine.lanes)]
        if number % 3 == 0:
            addresses = [rng.randrange(machine.scratchpad) for _ in range(2 * machine.lanes)]
        counts: dict[int, int] = {}
        for address in set(addresses):
            bank = machine.bank(address)
            counts[bank] = counts.get(bank, 0) + 1
        want = max(counts.values())

        def mismatch(got: object, want: int = want) -> str | None:
            right = type(got) is int and got == want
            return None if right else f"it returns {shown(got)}, expected {want}"

        label = f"{len(addresses)} addresses, stride {stride}, machine {machine.seed}"
        yield Question(label, (addresses, machine.as_dict()), mismatch)
