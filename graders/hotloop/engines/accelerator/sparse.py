"""A kernel of sparse rows: a vector is multiplied by a matrix again and again.

repeat `sweeps` times:
    for each item:
        acc = 0
        for e in range(starts[item], starts[item + 1]):
            acc = acc + values[e] * x[columns[e]]        # or acc ^ …
        y[item] = acc
    x = y
output = x
"""

from __future__ import annotations

import random
from dataclasses import dataclass

from hotloop.engines.accelerator import segments
from hotloop.engines.accelerator.kernel import (
    MULTIPLE,
    Kind,
    Work,
    busiest,
    fetch_all,
    more_than_registers,
    regions,
)
from hotloop.engines.accelerator.machine import WORD, Machine
from hotloop.engines.accelerator.program import Program

ITEMS = 96
"""Rows of the run whose cycles count."""

COLUMN_BITS = 8
"""Bits of the column in a packed entry."""


@dataclass(frozen=True)
class Sparse:
    """The drawn shape. packed: an entry is one word, value << 8 | column."""

    seed: int
    mean: int
    spread: str
    sweeps: int
    packed: bool
    combine: str
    order: tuple[str, ...]

    def layout(self, items: int) -> dict[str, int]:
        """Return where each region begins in main memory."""
        entries = items * self.mean
        sizes = {"starts": items + 1, "x": items, "values": entries, "columns": entries}
        return regions({**{name: sizes[name] for name in self.order}, "output": items})


def draw(seed: int) -> Sparse:
    """Return the kernel of a seed."""
    rng = random.Random(f"sparse {seed}")
    packed = rng.random() < 0.5
    names = ["starts", "x", "values"] + ["columns"] * (not packed)
    return Sparse(
        seed=seed,
        mean=rng.choice((4, 5)),
        spread=rng.choice(segments.SPREADS),
        sweeps=rng.choice((3, 4)),
        packed=packed,
        combine=rng.choice(("add", "xor")),
        order=tuple(rng.sample(names, len(names))),
    )


def work(sparse: Sparse, items: int, rng: random.Random) -> Work:
    """Return a random input with its output."""
    lengths = segments.lengths(items, sparse.mean, sparse.spread, rng)
    starts, entries = segments.starts(lengths), items * sparse.mean
    columns = [rng.randrange(items) for _ in range(entries)]
    values = [rng.getrandbits(32 - COLUMN_BITS) | 1 for _ in range(entries)]
    first = [rng.getrandbits(32) for _ in range(items)]
    x = first
    for _ in range(sparse.sweeps):
        y: list[int] = []
        for item in range(items):
            acc = 0
            for e in range(starts[item], starts[item + 1]):
                product = values[e] * x[columns[e]] & WORD
                acc = acc ^ product if sparse.combine == "xor" else acc + product & WORD
            y.append(acc)
        x = y
    at = sparse.layout(items)
    memory = [0] * at["end"]
    regions = {"starts": starts, "x": first, "values": values, "columns": columns}
    if sparse.packed:
        pairs = zip(values, columns, strict=True)
        regions["values"] = [value << COLUMN_BITS | column for value, column in pairs]
    for name in sparse.order:
        memory[at[name] : at[name] + len(regions[name])] = regions[name]
    return Work(memory, x, at["output"], entries, max(lengths))


def naive(sparse: Sparse, items: int) -> Program:
    """One entry after the other, one instruction a bundle, on the scalar unit."""
    at, program = sparse.layout(items), Program()
    fetch_all(program, at["output"])
    program.emit(f"mov s8, {at['x']}")
    program.emit(f"mov s9, {at['output']}")
    program.emit(f"mov s7, {sparse.sweeps}")
    program.label("sweep")
    program.emit("mov s0, 0")
    program.label("item")
    program.emit(f"ld s1, s0, {at['starts']}")
    program.emit(f"ld s2, s0, {at['starts'] + 1}")
    program.emit("mov s3, 0")
    program.emit("sub s4, s1, s2")
    program.emit("bz s4, done")
    program.label("entry")
    program.emit(f"ld s4, s1, {at['values']}")
    if sparse.packed:
        program.emit(f"and s5, s4, {(1 << COLUMN_BITS) - 1}")
        program.emit(f"shr s4, s4, {COLUMN_BITS}")
    else:
        program.emit(f"ld s5, s1, {at['columns']}")
    program.emit("add s5, s5, s8")
    program.emit("ld s5, s5, 0")
    program.emit("mul s4, s4, s5")
    program.emit(f"{sparse.combine} s3, s3, s4")
    program.emit("add s1, s1, 1")
    program.emit("sub s4, s1, s2")
    program.emit("bnz s4, entry")
    program.label("done")
    program.emit("add s4, s0, s9")
    program.emit("st s4, 0, s3")
    program.emit("add s0, s0, 1")
    program.emit(f"lt s4, s0, {items}")
    program.emit("bnz s4, item")
    program.emit("mov s4, s8")
    program.emit("mov s8, s9")
    program.emit("mov s9, s4")
    program.emit("sub s7, s7, 1")
    program.emit("bnz s7, sweep")
    program.emit(f"mov s0, {at['output']}")
    program.emit(f"copyout s0, s8, {items}")
    return program


def lower_bound(sparse: Sparse, machine: Machine, work: Work) -> int:
    """Return cycles that no program with these operations can beat on this input.

    Each entry of each sweep takes a product and a sum, and loads of x and of its words, except of
    those that registers can hold; a packed one may be unpacked once for all sweeps. A sweep waits
    for the one before: for a load, a product and a sum.
    """
    words = 1 if sparse.packed else 2
    again = more_than_registers(machine, work.steps * words)
    fused = "muladd" in machine.fused and sparse.combine == "add"
    operations = work.steps * (2 - fused)
    one = min(machine.latency["vector"], machine.latency["scalar"])
    multiply = min(machine.latency["vector_multiply"], machine.latency["scalar_multiply"])
    sweep = max(
        busiest(machine, operations, work.steps + again, again),
        machine.latency["load"] + multiply + one * (not fused),
    )
    moves = -(-(work.steps * words + 3 * len(work.output)) // machine.rate)
    return 2 * machine.startup + max(sweep * sparse.sweeps, moves)


def section(sparse: Sparse) -> str:
    """Return the manual's words about it."""
    names = ", ".join(sparse.order)
    sign = "^" if sparse.combine == "xor" else "+"
    product = "values[e] * x[columns[e]]"
    packed = ""
    if sparse.packed:
        product = f"(values[e] >> {COLUMN_BITS}) * x[values[e] % {1 << COLUMN_BITS}]"
        packed = f" The lowest {COLUMN_BITS} bits of a word of `values` are its column."
    return f"""**sparse.** Main memory holds {names}, then room for the output.
There are {sparse.mean} entries for each item on average, and their sum is exactly so many.
{segments.WORDS[sparse.spread]} Rows may be empty.
`starts` has a word more than there are items.{packed} Each region begins at the
first multiple of {MULTIPLE} that leaves at least one word, which is 0, behind the one before.
Counts of items are multiples of {MULTIPLE}.

```
repeat {sparse.sweeps} times:
    for each item:
        acc = 0
        for e in starts[item] … starts[item + 1] - 1:
            acc = acc {sign} {product}
        y[item] = acc
    x = y
output = x
```
"""


KIND = Kind("sparse", ITEMS, draw, work, naive, lower_bound, section)
