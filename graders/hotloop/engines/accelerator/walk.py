"""The kernel: each item walks down a table as its own hash decides.

for each item:
    v = values[item]
    repeat `descents` times:
        k = 0
        for level in range(levels):
            word = table[first word of the level + k]
            v = hash(v ^ word)          # or v + word
            if level > 0 and stop is not 0 and word & stop == 0: end this descent
            k = fanout * k + (v >> shift) % fanout
    output[item] = v
"""

from __future__ import annotations

import math
import random
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any

from hotloop.engines.accelerator.kernel import MULTIPLE, PAD, Kind, Work, fetch_all
from hotloop.engines.accelerator.machine import WIDE, WORD, Machine
from hotloop.engines.accelerator.program import Program

ITEMS = 256
"""Items of the run whose cycles count; a program must be right for other counts too."""

HashStep = tuple[str, int, int]
"""Kind and two constants: see `hash_step`."""


@dataclass(frozen=True)
class Walk:
    """The drawn shape of the kernel. bits: log2 of the fanout. stop: a mask, or 0 for none.

    pad: of what the word where the values begin is a multiple.
    """

    seed: int
    bits: int
    levels: int
    descents: int
    shift: int
    combine: str
    stop: int
    hash: tuple[HashStep, ...]
    pad: int = 1

    @property
    def offsets(self) -> list[int]:
        """The first word of each level in the table."""
        return [
            ((1 << self.bits * level) - 1) // ((1 << self.bits) - 1) for level in range(self.levels)
        ]

    @property
    def table(self) -> int:
        """Words of the table."""
        return ((1 << self.bits * self.levels) - 1) // ((1 << self.bits) - 1)

    def layout(self, items: int) -> dict[str, int]:
        """Return where table, values and output begin in main memory, and their sizes."""
        words = -(-self.table // self.pad) * self.pad
        return {
            "items": items,
            "table_at": 0,
            "table_words": words,
            "values_at": words,
            "output_at": words + items,
        }

    def as_dict(self) -> dict[str, Any]:
        """Return the shape as plain data, with the levels' offsets."""
        return {**asdict(self), "hash": [list(step) for step in self.hash], "offsets": self.offsets}


def walk_from_dict(data: dict[str, Any]) -> Walk:
    """Return the kernel of `as_dict`."""
    shape: dict[str, Any] = {name: value for name, value in data.items() if name != "offsets"}
    shape["hash"] = tuple(tuple(step) for step in data["hash"])
    return Walk(**shape)


def draw(seed: int) -> Walk:
    """Return the kernel of a seed."""
    rng = random.Random(f"walk {seed}")
    bits, levels, descents = rng.choice(((1, 5, 3), (1, 6, 2), (2, 3, 5), (2, 4, 3)))
    kinds = rng.sample(("multiply", "fold", "rotate", "spread"), rng.choice((2, 3)))
    return Walk(
        seed=seed,
        bits=bits,
        levels=levels,
        descents=descents,
        shift=rng.choice((0, 3, 7)),
        combine=rng.choice(("xor", "add")),
        stop=rng.choice((0, 7, 15)),
        hash=tuple((kind, rng.randrange(1 << 31) | 1, rng.randrange(5, 20)) for kind in kinds),
        pad=PAD if seed >= WIDE else 1,
    )


def without_table(walk: Walk) -> Walk:
    """Return the kernel with a table of one word: each item is hashed again and again with it."""
    return replace(walk, levels=1, descents=8, stop=0)


def hash_step(step: HashStep, value: int) -> int:
    """Return one step of the hash."""
    kind, constant, shift = step
    if kind == "multiply":
        value = value * constant + shift
    elif kind == "fold":
        value = value ^ value >> shift
    elif kind == "rotate":
        value = (value << shift | value >> (32 - shift)) + constant
    else:
        value = (value + constant) ^ value << shift
    return value & WORD


def _table(walk: Walk, rng: random.Random) -> list[int]:
    """Return a random table in which as many words end a descent as the mask says on average.

    One of them is early enough for a quarter of all items to meet it with levels left to walk.
    """
    table = [rng.getrandbits(32) | 1 for _ in range(walk.table)]
    if walk.stop:
        early = 2 if walk.bits == 1 else 1
        ends = [walk.offsets[early] + rng.randrange(4)]
        count = round(walk.table / (walk.stop + 1))
        ends += rng.sample(range(walk.offsets[early + 1], walk.table), max(1, count - 1))
        for at in ends:
            table[at] &= ~walk.stop
    return table


def work(walk: Walk, items: int, rng: random.Random) -> Work:
    """Return a random input with its output."""
    table = _table(walk, rng)
    values = [rng.getrandbits(32) for _ in range(items)]
    output: list[int] = []
    steps = turns = 0
    for v in values:
        for _ in range(walk.descents):
            k = 0
            for level, offset in enumerate(walk.offsets):
                word = table[offset + k]
                v = v ^ word if walk.combine == "xor" else v + word & WORD
                for step in walk.hash:
                    v = hash_step(step, v)
                steps += 1
                if level and walk.stop and word & walk.stop == 0:
                    break
                k = (k << walk.bits) + (v >> walk.shift) % (1 << walk.bits)
                turns += level + 1 < walk.levels
        output.append(v)
    table += [0] * (-len(table) % walk.pad)
    memory = [*table, *values, *[0] * items]
    return Work(memory, output, len(table) + items, steps, turns)


def _return_all(program: Program, layout: dict[str, int], items: int) -> None:
    """Append the transfer of all values back, as the output."""
    program.emit(f"mov s0, {layout['values_at']}")
    program.emit(f"mov s1, {layout['output_at']}")
    program.emit(f"copyout s1, s0, {items}")
    program.emit("wait 0")


def naive(walk: Walk, items: int) -> Program:
    """One item after the other, one instruction a bundle, on the scalar unit."""
    layout, program = walk.layout(items), Program()
    fetch_all(program, layout["table_words"] + items)
    program.emit(f"mov s0, {layout['values_at']}")
    program.label("item")
    program.emit("ld s1, s0, 0")
    program.emit(f"mov s5, {walk.descents}")
    program.label("descent")
    program.emit("mov s2, 0")
    for level in range(walk.levels):
        program.emit(f"ld s3, s2, {walk.offsets[level]}")
        program.emit(f"{walk.combine} s1, s1, s3")
        for each in walk.hash:
            _naive_hash(program, each)
        if level + 1 == walk.levels:
            break
        if walk.stop and level:
            program.emit(f"and s3, s3, {walk.stop}")
            program.emit("bz s3, done")
        program.emit(f"shr s4, s1, {walk.shift}")
        program.emit(f"and s4, s4, {(1 << walk.bits) - 1}")
        program.emit(f"shl s2, s2, {walk.bits}")
        program.emit("add s2, s2, s4")
    program.label("done")
    program.emit("sub s5, s5, 1")
    program.emit("bnz s5, descent")
    program.emit("st s0, 0, s1")
    program.emit("add s0, s0, 1")
    program.emit(f"lt s5, s0, {layout['values_at'] + items}")
    program.emit("bnz s5, item")
    _return_all(program, layout, items)
    return program


def _naive_hash(program: Program, each: HashStep) -> None:
    kind, constant, shift = each
    if kind == "multiply":
        program.emit(f"mul s1, s1, {constant}")
        program.emit(f"add s1, s1, {shift}")
    elif kind == "fold":
        program.emit(f"shr s4, s1, {shift}")
        program.emit("xor s1, s1, s4")
    elif kind == "rotate":
        program.emit(f"shl s4, s1, {shift}")
        program.emit(f"shr s1, s1, {32 - shift}")
        program.emit("or s1, s1, s4")
        program.emit(f"add s1, s1, {constant}")
    else:
        program.emit(f"shl s4, s1, {shift}")
        program.emit(f"add s1, s1, {constant}")
        program.emit("xor s1, s1, s4")


def hash_cost(walk: Walk, machine: Machine) -> tuple[int, int]:
    """Return the fewest instructions of one hash, and the cycles of their longest chain."""
    vector, multiply = machine.latency["vector"], machine.latency["vector_multiply"]
    scalar, scalar_multiply = machine.latency["scalar"], machine.latency["scalar_multiply"]
    vector, multiply = min(vector, scalar), min(multiply, scalar_multiply)
    count = chain = 0
    for kind, _, _ in walk.hash:
        if kind == "multiply":
            fused = "muladd" in machine.fused
            count, chain = count + 2 - fused, chain + multiply + (0 if fused else vector)
        elif kind == "fold":
            count, chain = count + 2, chain + 2 * vector
        elif kind == "rotate":
            # Without `rotl`, one multiply-add of a shifted word is left shift, `or` and addition.
            short, middle = "rotl" in machine.fused, "muladd" in machine.fused
            count += 2 if short else 3 if middle else 4
            chain += (2 if short or middle else 3) * vector
        else:
            count, chain = count + 3, chain + 2 * vector
    # An addition at the end of a step may be part of the multiplication that follows, or be made in
    # the table's words beforehand.
    kinds = [kind for kind, _, _ in walk.hash]
    saved = ("rotate", "multiply") in pairwise(kinds)
    adds = kinds[-1] == "rotate" or (kinds[-1] == "multiply" and "muladd" not in machine.fused)
    saved += walk.combine == "add" and adds
    return count - saved, chain - saved * vector


def lower_bound(walk: Walk, machine: Machine, work: Work) -> int:
    """Return cycles that no program with these hash steps can beat on this input.

    Before the first word and after the last there is a transfer's startup each. Between them lie
    the longest chain of one item, the instructions that each step needs on units that are all
    busy in each cycle, and the words that must be moved. A lane of a vector counts like a scalar.
    """
    count, chain = hash_cost(walk, machine)
    step = chain + min(machine.latency["vector"], machine.latency["scalar"])
    longest = walk.levels * walk.descents if not walk.stop else 0
    vectors = min(machine.slots["vector"], machine.width)
    scalars = min(machine.slots["scalar"], machine.width - vectors)
    lanes = vectors * machine.lanes + scalars
    operations = work.steps * (count + 1) + work.turns
    words = 2 * len(work.output)
    between = max(longest * step, math.ceil(operations / lanes), math.ceil(words / machine.rate))
    return 2 * machine.startup + between


def section(walk: Walk) -> str:
    """Return the manual's words about the walk."""
    hashes = "\n".join(f"    {line}" for line in _hash_lines(walk))
    combine = "v ^ word" if walk.combine == "xor" else "v + word"
    stop = ""
    if walk.stop:
        stop = f"\n            if level > 0 and word & {walk.stop} == 0: end this descent"
    padding = ""
    if walk.layout(0)["values_at"] > walk.table:
        padding = f" The values begin at word {walk.layout(0)['values_at']}."
    return f"""**walk.** Main memory holds a table of {walk.table} words, then the values, then room
for the output, as many words as there are items.{padding}
Counts of items are multiples of {MULTIPLE}.
Levels begin at words {", ".join(map(str, walk.offsets))} of the table.

```
hash(v):
{hashes}

for each item:
    v = values[item]
    repeat {walk.descents} times:
        k = 0
        for level in 0 … {walk.levels - 1}:
            word = table[first word of the level + k]
            v = hash({combine}){stop}
            k = {1 << walk.bits} * k + (v >> {walk.shift}) % {1 << walk.bits}
    output[item] = v
```
"""


def _hash_lines(walk: Walk) -> list[str]:
    """Return the hash as lines of a program."""
    lines: list[str] = []
    for kind, constant, shift in walk.hash:
        lines.append(
            {
                "multiply": f"v = v * {constant} + {shift}",
                "fold": f"v = v ^ (v >> {shift})",
                "rotate": f"v = rotate_left(v, {shift}) + {constant}",
                "spread": f"v = (v + {constant}) ^ (v << {shift})",
            }[kind]
        )
    return [*lines, "return v"]


KIND = Kind("walk", ITEMS, draw, work, naive, lower_bound, section)
