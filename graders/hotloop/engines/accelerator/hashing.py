"""A kernel whose rounds depend on the data: two words are mixed, as often as the item says.

for each item:
    a, b = values[item], start
    repeat low + (a >> shift) % spread times:
        steps of the round: each changes a, with b and the table
        a, b = b, a
    output[item] = a ^ b
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from itertools import pairwise

from hotloop.engines.accelerator.kernel import (
    MULTIPLE,
    Kind,
    Work,
    busiest,
    fetch_all,
    regions,
)
from hotloop.engines.accelerator.machine import WORD, Machine
from hotloop.engines.accelerator.program import Program

ITEMS = 256
"""Items of the run whose cycles count."""

Step = tuple[str, int]
"""Kind and a constant: see `apply`."""


@dataclass(frozen=True)
class Hashing:
    """The drawn shape. table: its words, a power of two. order: of the regions in main memory."""

    seed: int
    start: int
    low: int
    spread: int
    shift: int
    table: int
    steps: tuple[Step, ...]
    order: tuple[str, ...]

    def layout(self, items: int) -> dict[str, int]:
        """Return where values, table and output begin in main memory."""
        sizes = {"values": items, "table": self.table}
        return regions({**{name: sizes[name] for name in self.order}, "output": items})


def draw(seed: int) -> Hashing:
    """Return the kernel of a seed."""
    rng = random.Random(f"hashing {seed}")
    kinds = ["look", *rng.sample(("multiply", "fold", "twist", "turn"), rng.choice((2, 3)))]
    rng.shuffle(kinds)
    return Hashing(
        seed=seed,
        start=rng.getrandbits(32),
        low=rng.choice((4, 6, 8)),
        spread=rng.choice((4, 8)),
        shift=rng.choice((0, 5, 11)),
        table=rng.choice((16, 32, 64)),
        steps=tuple((kind, _constant(kind, rng)) for kind in kinds),
        order=tuple(rng.sample(("values", "table"), 2)),
    )


def _constant(kind: str, rng: random.Random) -> int:
    return rng.randrange(1 << 31) | 1 if kind == "multiply" else rng.randrange(5, 20)


def apply(step: Step, a: int, b: int, table: list[int]) -> int:
    """Return what one step makes of a."""
    kind, constant = step
    if kind == "multiply":
        a = a * constant + b
    elif kind == "fold":
        a = a ^ a >> constant
    elif kind == "twist":
        a = (a << constant) + b
    elif kind == "turn":
        a = a << b % 32 | a >> 32 - b % 32
    else:
        a = a ^ table[(b >> constant) % len(table)]
    return a & WORD


def work(hashing: Hashing, items: int, rng: random.Random) -> Work:
    """Return a random input with its output. `steps`: all rounds, `turns`: the most of one."""
    table = [rng.getrandbits(32) for _ in range(hashing.table)]
    values = [rng.getrandbits(32) for _ in range(items)]
    output: list[int] = []
    rounds: list[int] = []
    for value in values:
        a, b = value, hashing.start
        rounds.append(hashing.low + (a >> hashing.shift) % hashing.spread)
        for _ in range(rounds[-1]):
            for step in hashing.steps:
                a = apply(step, a, b, table)
            a, b = b, a
        output.append(a ^ b)
    at = hashing.layout(items)
    memory = [0] * at["end"]
    memory[at["values"] : at["values"] + items] = values
    memory[at["table"] : at["table"] + hashing.table] = table
    return Work(memory, output, at["output"], sum(rounds), max(rounds))


def naive(hashing: Hashing, items: int) -> Program:
    """One item after the other, one instruction a bundle, on the scalar unit."""
    at, program = hashing.layout(items), Program()
    fetch_all(program, at["output"])
    program.emit(f"mov s0, {at['values']}")
    program.label("item")
    program.emit("ld s1, s0, 0")
    program.emit(f"mov s2, {hashing.start}")
    program.emit(f"shr s3, s1, {hashing.shift}")
    program.emit(f"and s3, s3, {hashing.spread - 1}")
    program.emit(f"add s3, s3, {hashing.low}")
    program.label("round")
    for step in hashing.steps:
        _naive_step(program, step, at["table"], hashing.table)
    program.emit("mov s4, s1")
    program.emit("mov s1, s2")
    program.emit("mov s2, s4")
    program.emit("sub s3, s3, 1")
    program.emit("bnz s3, round")
    program.emit("xor s1, s1, s2")
    program.emit("st s0, 0, s1")
    program.emit("add s0, s0, 1")
    program.emit(f"lt s5, s0, {at['values'] + items}")
    program.emit("bnz s5, item")
    program.emit(f"mov s0, {at['values']}")
    program.emit(f"mov s1, {at['output']}")
    program.emit(f"copyout s1, s0, {items}")
    return program


def _naive_step(program: Program, step: Step, table_at: int, table: int) -> None:
    kind, constant = step
    if kind == "multiply":
        program.emit(f"mul s1, s1, {constant}")
        program.emit("add s1, s1, s2")
    elif kind == "fold":
        program.emit(f"shr s4, s1, {constant}")
        program.emit("xor s1, s1, s4")
    elif kind == "twist":
        program.emit(f"shl s1, s1, {constant}")
        program.emit("add s1, s1, s2")
    elif kind == "turn":  # s9 is 0; a shift by 32 is one by 0
        program.emit("sub s5, s9, s2")
        program.emit("shl s4, s1, s2")
        program.emit("shr s5, s1, s5")
        program.emit("or s1, s4, s5")
    else:
        program.emit(f"shr s4, s2, {constant}")
        program.emit(f"and s4, s4, {table - 1}")
        program.emit(f"ld s4, s4, {table_at}")
        program.emit("xor s1, s1, s4")


def _cost(hashing: Hashing, machine: Machine) -> tuple[int, int]:
    """Return the fewest instructions of a round, and the cycles of the chain through a."""
    one = min(machine.latency["vector"], machine.latency["scalar"])
    multiply = min(machine.latency["vector_multiply"], machine.latency["scalar_multiply"])
    fused, rotates = "muladd" in machine.fused, "rotl" in machine.fused
    count = chain = 0
    for kind, _ in hashing.steps:
        if kind in ("multiply", "twist"):
            # A shift and an addition are one multiply-add; all linear steps together may be one.
            count += 2 - fused
            chain += min(multiply, one)
        elif kind == "fold":
            count, chain = count + 2, chain + 2 * one
        elif kind == "turn":
            count, chain = count + (1 if rotates else 3), chain + (1 if rotates else 2) * one
        else:  # shift and mask of b beside a, then a gather
            count, chain = count + 3, chain + one
    linear = {"multiply", "twist"}
    together = any({a, b} == linear for (a, _), (b, _) in pairwise(hashing.steps))
    return count - together, chain - together * one


def lower_bound(hashing: Hashing, machine: Machine, work: Work) -> int:
    """Return cycles that no program with these steps can beat on this input.

    Each round of each item needs its instructions, and a word of the table. A round waits for the
    one before the last only through a, so half of the rounds are a chain.
    """
    count, chain = _cost(hashing, machine)
    items = len(work.output)
    operations = work.steps * count + items
    between = max(
        work.turns // 2 * chain,
        busiest(machine, operations, work.steps + items, items),
        -(-2 * items // machine.rate),
    )
    return 2 * machine.startup + between


def section(hashing: Hashing) -> str:
    """Return the manual's words about it."""
    names = " and ".join(hashing.order)
    steps = "\n".join(f"        {_line(step, hashing.table)}" for step in hashing.steps)
    most = hashing.low + hashing.spread - 1
    return f"""**hashing.** Main memory holds {names}, then room for the output. The table has
{hashing.table} words; values and output have a word for each item. Each of them begins at the first
multiple of {MULTIPLE} that leaves at least one word, which is 0, behind the one before. Counts of
items are multiples of {MULTIPLE}. An item takes {hashing.low} to {most} rounds.

```
for each item:
    a, b = values[item], {hashing.start}
    repeat {hashing.low} + (a >> {hashing.shift}) % {hashing.spread} times:
{steps}
        a, b = b, a
    output[item] = a ^ b
```
"""


def _line(step: Step, table: int) -> str:
    kind, constant = step
    return {
        "multiply": f"a = a * {constant} + b",
        "fold": f"a = a ^ (a >> {constant})",
        "twist": f"a = (a << {constant}) + b",
        "turn": "a = rotate_left(a, b % 32)",
        "look": f"a = a ^ table[(b >> {constant}) % {table}]",
    }[kind]


KIND = Kind("hashing", ITEMS, draw, work, naive, lower_bound, section)
