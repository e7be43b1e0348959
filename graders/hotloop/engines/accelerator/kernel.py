"""What a kind of kernel is: its inputs, its naive program, its bound, and its words."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Program

S = TypeVar("S")

MULTIPLE = 16
"""Counts of items are multiples of this, so that each machine's vectors are full."""

PAD = 16
"""No machine's `align` is larger."""


@dataclass(frozen=True)
class Work:
    """Main memory before a run, and the words that must be in it afterwards, from `output_at` on.

    steps, turns: how much the items take of a kernel whose work depends on the data, for its bound.
    """

    memory: list[int]
    output: list[int]
    output_at: int
    steps: int = 0
    turns: int = 0

    @property
    def writable(self) -> range:
        """The words of main memory that the program may write."""
        return range(self.output_at, self.output_at + len(self.output))

    def mismatch(self, memory: Sequence[int]) -> str | None:
        """Return what is wrong in main memory after a run, or None."""
        got = memory[self.output_at : self.output_at + len(self.output)]
        wrong = [i for i, (a, b) in enumerate(zip(got, self.output, strict=True)) if a != b]
        if not wrong:
            return None
        i = wrong[0]
        return (
            f"{len(wrong)} of {len(self.output)} results are wrong; "
            f"result {i}: got {got[i]}, expected {self.output[i]}"
        )


@dataclass(frozen=True)
class Kind(Generic[S]):
    """One kind of kernel. S: the shape that a seed draws of it.

    items: of the run whose cycles count. bound: cycles that no program can beat on an input.
    section: of the manual.
    """

    name: str
    items: int
    draw: Callable[[int], S]
    work: Callable[[S, int, random.Random], Work]
    naive: Callable[[S, int], Program]
    bound: Callable[[S, Machine, Work], int]
    section: Callable[[S], str]


def regions(sizes: Mapping[str, int]) -> dict[str, int]:
    """Return where each region begins in main memory, and where the last one ends.

    Each begins at a multiple of PAD, behind at least one word that is 0: a lane that goes on behind
    its last entry reads it.
    """
    result: dict[str, int] = {}
    at = 0
    for name, words in sizes.items():
        result[name] = at
        at += (words // PAD + 1) * PAD
    return {**result, "end": at}


def busiest(machine: Machine, operations: int, loads: int, words: int) -> int:
    """Return the cycles for which the busiest unit works.

    operations: by lane; a scalar instruction counts like a lane. loads: words into registers.
    words: different words of the scratchpad that each must be read from a bank.
    """
    vectors = min(machine.slots["vector"], machine.width)
    scalars = min(machine.slots["scalar"], machine.width - vectors)
    return max(
        math.ceil(operations / (vectors * machine.lanes + scalars)),
        math.ceil(loads / (machine.slots["load"] * machine.lanes)),
        math.ceil(words / machine.banks),
    )


def more_than_registers(machine: Machine, words: int) -> int:
    """Return how many of these words do not fit into registers, and are read in each sweep."""
    return max(0, words - machine.vectors * machine.lanes - machine.scalars)


def fetch_all(program: Program, words: int) -> None:
    """Append the transfer of the first words of main memory to the same addresses."""
    program.emit("mov s0, 0")
    program.emit(f"copyin s0, s0, {words}")
    program.emit("wait 0")
