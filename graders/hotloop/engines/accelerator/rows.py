"""A kernel for transfers and banks: a hash of each row of a matrix that the scratchpad cannot hold.

for each row:
    acc = 0
    for column in range(columns):
        acc = (acc ^ matrix[row, column]) * factor
    output[row] = acc
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import Any

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.kernel import Work
from hotloop.engines.accelerator.machine import WORD, Machine
from hotloop.engines.accelerator.program import Program

ROWS = 128
"""Rows of the run whose cycles count."""


@dataclass(frozen=True)
class Rows:
    """The drawn shape. The number of columns is a multiple of the number of banks."""

    seed: int
    columns: int
    factor: int

    def as_dict(self) -> dict[str, Any]:
        """Return the shape as plain data."""
        return {"columns": self.columns, "factor": self.factor}


def draw(seed: int) -> Rows:
    """Return the kernel of a seed. Two tiles of a row for each lane fit into its scratchpad."""
    rng, machine = random.Random(f"rows {seed}"), machines.draw(seed)
    columns = min(rng.choice((32, 64)), machine.scratchpad // (4 * machine.lanes))
    return Rows(seed, columns, rng.randrange(1 << 31) | 1)


def work(rows: Rows, count: int, rng: random.Random) -> Work:
    """Return a random matrix with the hashes of its rows."""
    matrix = [rng.getrandbits(32) for _ in range(count * rows.columns)]
    output: list[int] = []
    for row in range(count):
        acc = 0
        for word in matrix[row * rows.columns : (row + 1) * rows.columns]:
            acc = (acc ^ word) * rows.factor & WORD
        output.append(acc)
    return Work([*matrix, *[0] * count], output, len(matrix))


def naive(rows: Rows, count: int) -> Program:
    """One row after the other, fetched alone, one instruction a bundle."""
    program = Program()
    program.emit("mov s0, 0")
    program.emit(f"mov s1, {count * rows.columns}")
    program.emit("mov s2, 0")
    program.label("row")
    program.emit(f"copyin s2, s0, {rows.columns}")
    program.emit("wait 0")
    program.emit("mov s3, 0")
    program.emit("mov s4, 0")
    program.label("column")
    program.emit("ld s5, s3, 0")
    program.emit("xor s4, s4, s5")
    program.emit(f"mul s4, s4, {rows.factor}")
    program.emit("add s3, s3, 1")
    program.emit(f"lt s5, s3, {rows.columns}")
    program.emit("bnz s5, column")
    program.emit("st s2, 0, s4")
    program.emit("copyout s1, s2, 1")
    program.emit("add s1, s1, 1")
    program.emit(f"add s0, s0, {rows.columns}")
    program.emit(f"lt s5, s0, {count * rows.columns}")
    program.emit("bnz s5, row")
    return program


def lower_bound(rows: Rows, machine: Machine, work: Work) -> int:
    """Return cycles that no program with these operations can beat.

    All words are transferred in, one result is transferred out after the last, and each word is
    read from a bank and takes two operations, one after the other within a row.
    """
    words = len(work.output) * rows.columns
    lanes = min(machine.slots["vector"], machine.width) * machine.lanes + machine.slots["scalar"]
    multiply = min(machine.latency["vector_multiply"], machine.latency["scalar_multiply"])
    exclusive = min(machine.latency["vector"], machine.latency["scalar"])
    between = max(
        math.ceil(words / machine.rate),
        math.ceil(words / machine.banks),
        math.ceil(2 * words / lanes),
        rows.columns * (multiply + exclusive),
    )
    return 2 * machine.startup + between
