"""A kernel of ragged attention, in integers: each item weighs a segment of its own.

q = queries
repeat `turns` times:
    for each item:
        m = the largest score of its segment, 0 if it is empty
        acc = norm = 0
        for e in range(starts[item], starts[item + 1]):
            w = table[(m - score(q[item], keys[e])) >> bits]
            acc, norm = acc + w * values[e], norm + w
        q[item] = acc ^ norm
output = q

score(q, k) = (q * k) >> shift, or (q ^ k) >> shift
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
"""Items of the run whose cycles count."""

TABLE_BITS = 5
"""log2 of the table's words."""


@dataclass(frozen=True)
class Ragged:
    """The drawn shape. score: "mul" or "xor". norm: how acc and norm become one word."""

    seed: int
    mean: int
    spread: str
    turns: int
    score: str
    shift: int
    norm: str
    order: tuple[str, ...]

    @property
    def bits(self) -> int:
        """By how much a difference of scores is shifted to be an index of the table."""
        return 32 - self.shift - TABLE_BITS

    def layout(self, items: int) -> dict[str, int]:
        """Return where each region begins in main memory."""
        entries = items * self.mean
        sizes = {"starts": items + 1, "keys": entries, "values": entries, "queries": items}
        sizes["table"] = 1 << TABLE_BITS
        return regions({**{name: sizes[name] for name in self.order}, "output": items})


def draw(seed: int) -> Ragged:
    """Return the kernel of a seed."""
    rng = random.Random(f"ragged {seed}")
    names = ("starts", "keys", "values", "queries", "table")
    return Ragged(
        seed=seed,
        mean=rng.choice((4, 5)),
        spread=rng.choice(segments.SPREADS),
        turns=rng.choice((2, 3)),
        score=rng.choice(("mul", "xor")),
        shift=rng.choice((8, 12, 16)),
        norm=rng.choice(("xor", "add", "sub")),
        order=tuple(rng.sample(names, len(names))),
    )


def _score(ragged: Ragged, q: int, k: int) -> int:
    return (q * k if ragged.score == "mul" else q ^ k) % (WORD + 1) >> ragged.shift


def _attend(ragged: Ragged, q: int, pairs: list[tuple[int, int]], table: list[int]) -> int:
    scores = [_score(ragged, q, key) for key, _ in pairs]
    most = max(scores, default=0)
    weights = [table[(most - score) >> ragged.bits] for score in scores]
    acc = sum(w * value for w, (_, value) in zip(weights, pairs, strict=True))
    norm = sum(weights)
    return {"xor": acc ^ norm, "add": acc + norm, "sub": acc - norm}[ragged.norm] & WORD


def work(ragged: Ragged, items: int, rng: random.Random) -> Work:
    """Return a random input with its output."""
    lengths = segments.lengths(items, ragged.mean, ragged.spread, rng)
    starts, entries = segments.starts(lengths), items * ragged.mean
    keys = [rng.getrandbits(32) for _ in range(entries)]
    values = [rng.getrandbits(32) for _ in range(entries)]
    queries = [rng.getrandbits(32) for _ in range(items)]
    table = [rng.getrandbits(27) >> index // 2 for index in range(1 << TABLE_BITS)]
    pairs = list(zip(keys, values, strict=True))
    q = queries
    for _ in range(ragged.turns):
        q = [
            _attend(ragged, each, pairs[starts[item] : starts[item + 1]], table)
            for item, each in enumerate(q)
        ]
    at = ragged.layout(items)
    memory = [0] * at["end"]
    parts = {"starts": starts, "keys": keys, "values": values, "queries": queries, "table": table}
    for name, words in parts.items():
        memory[at[name] : at[name] + len(words)] = words
    return Work(memory, q, at["output"], entries, max(lengths))


def naive(ragged: Ragged, items: int) -> Program:
    """One entry after the other, one instruction a bundle, on the scalar unit. Scores come twice.

    s0 item, s1 entry, s2 end, s3 query, s4 most, s5 acc, s6 norm; queries become outputs in place.
    """
    at, program = ragged.layout(items), Program()
    fetch_all(program, at["output"])
    program.emit(f"mov s7, {ragged.turns}")
    program.label("turn")
    program.emit("mov s0, 0")
    program.label("item")
    program.emit(f"ld s1, s0, {at['starts']}")
    program.emit(f"ld s2, s0, {at['starts'] + 1}")
    program.emit(f"ld s3, s0, {at['queries']}")
    program.emit("mov s4, 0")
    program.emit("mov s5, 0")
    program.emit("mov s6, 0")
    program.emit("sub s8, s1, s2")
    program.emit("bz s8, done")
    program.label("most")
    _naive_score(program, ragged, at["keys"])
    program.emit("lt s9, s4, s8")
    program.emit("bz s9, less")
    program.emit("mov s4, s8")
    program.label("less")
    program.emit("add s1, s1, 1")
    program.emit("sub s8, s1, s2")
    program.emit("bnz s8, most")
    program.emit(f"ld s1, s0, {at['starts']}")
    program.label("entry")
    _naive_score(program, ragged, at["keys"])
    program.emit("sub s8, s4, s8")
    program.emit(f"shr s8, s8, {ragged.bits}")
    program.emit(f"ld s8, s8, {at['table']}")
    program.emit(f"ld s9, s1, {at['values']}")
    program.emit("mul s9, s9, s8")
    program.emit("add s5, s5, s9")
    program.emit("add s6, s6, s8")
    program.emit("add s1, s1, 1")
    program.emit("sub s8, s1, s2")
    program.emit("bnz s8, entry")
    program.label("done")
    program.emit(f"{ragged.norm} s5, s5, s6")
    program.emit(f"st s0, {at['queries']}, s5")
    program.emit("add s0, s0, 1")
    program.emit(f"lt s8, s0, {items}")
    program.emit("bnz s8, item")
    program.emit("sub s7, s7, 1")
    program.emit("bnz s7, turn")
    program.emit(f"mov s0, {at['queries']}")
    program.emit(f"mov s1, {at['output']}")
    program.emit(f"copyout s1, s0, {items}")
    return program


def _naive_score(program: Program, ragged: Ragged, keys: int) -> None:
    """Append the score of entry s1 with query s3, in s8."""
    program.emit(f"ld s8, s1, {keys}")
    program.emit(f"{ragged.score} s8, s8, s3")
    program.emit(f"shr s8, s8, {ragged.shift}")


def lower_bound(ragged: Ragged, machine: Machine, work: Work) -> int:
    """Return cycles that no program with these operations can beat on this input.

    Each entry of each turn takes a score (2 operations), its part of the maximum (1; without `max`,
    a comparison and a choice), the weight's index (2), and two sums with a product (3; fused 2).
    Each loads its weight, and keys and values that registers cannot hold. Where acc and norm are
    added, one sum of w · (value + 1) is enough. A turn waits for the one before: for a score, a
    maximum, a weight and a sum.
    """
    again = more_than_registers(machine, 2 * work.steps)
    fused, largest = "muladd" in machine.fused, "max" in machine.fused
    operations = work.steps * (8 - fused + (not largest) - (ragged.norm != "xor"))
    one = min(machine.latency["vector"], machine.latency["scalar"])
    multiply = min(machine.latency["vector_multiply"], machine.latency["scalar_multiply"])
    first = multiply if ragged.score == "mul" else one
    turn = max(
        busiest(machine, operations, work.steps + again, again),
        first + 4 * one + machine.latency["load"] + multiply,
    )
    moves = -(-(2 * work.steps + 3 * len(work.output)) // machine.rate)
    return 2 * machine.startup + max(turn * ragged.turns, moves)


def section(ragged: Ragged) -> str:
    """Return the manual's words about it."""
    names = ", ".join(ragged.order)
    score = "q * k" if ragged.score == "mul" else "q ^ k"
    end = {"xor": "acc ^ norm", "add": "acc + norm", "sub": "acc - norm"}[ragged.norm]
    return f"""**ragged.** Main memory holds {names}, then room for the output.
There are {ragged.mean} entries for each item on average, and their sum is exactly so many.
{segments.WORDS[ragged.spread]} Segments may be empty.
`starts` has a word more than there are items, the table {1 << TABLE_BITS} words.
Each region begins at the first multiple of {MULTIPLE} that leaves at least one word, which
is 0, behind the one before. Counts of items are multiples of {MULTIPLE}.

```
score(q, k):
    return ({score}) >> {ragged.shift}

repeat {ragged.turns} times:
    for each item:
        q = queries[item]
        m = the largest score(q, keys[e]) of its segment, 0 if it is empty
        acc = norm = 0
        for e in starts[item] … starts[item + 1] - 1:
            w = table[(m - score(q, keys[e])) >> {ragged.bits}]
            acc, norm = acc + w * values[e], norm + w
        queries[item] = {end}
output = queries
```
"""


KIND = Kind("ragged", ITEMS, draw, work, naive, lower_bound, section)
