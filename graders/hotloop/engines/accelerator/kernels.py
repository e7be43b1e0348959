"""The kernels of a machine by name: what a task judges, a page runs, and `try.py` tries."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from hotloop.engines.accelerator import kinds
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import rows as matrices
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.kernel import MULTIPLE, Kind, S, Work
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Program


@dataclass(frozen=True)
class Kernel:
    """A kernel on a machine.

    naive: returns the naive program for a number of items. draw: returns an input with that many.
    bound: returns cycles that no program can beat on an input. items: of each run of a judging; the
    cycles of the last one count.
    """

    machine: Machine
    naive: Callable[[int], Program]
    draw: Callable[[int, random.Random], Work]
    bound: Callable[[Work], int]
    items: tuple[int, ...]


def walk(seed: int) -> Kernel:
    """Return the walk through a table that a seed draws."""
    return _of(walks.KIND, walks.draw(seed), machines.draw(seed))


def pipeline(seed: int) -> Kernel:
    """Return the same walk without its table: a loop whose work is the same for each item."""
    return _of(walks.KIND, walks.without_table(walks.draw(seed)), machines.draw(seed))


def overlap(seed: int) -> Kernel:
    """Return the rows of a matrix, which is larger than the scratchpad."""
    machine, shape = machines.draw(seed), matrices.draw(seed)
    return Kernel(
        machine,
        naive=lambda count: matrices.naive(shape, count),
        draw=lambda count, rng: matrices.work(shape, count, rng),
        bound=lambda job: matrices.lower_bound(shape, machine, job),
        items=(MULTIPLE, 3 * MULTIPLE, matrices.ROWS),
    )


def kernel(seed: int) -> Kernel:
    """Return the kernel that a seed draws, of any kind."""
    kind = kinds.draw(seed)
    return _of(kind, kind.draw(seed), machines.draw(seed))


def _of(kind: Kind[S], shape: S, machine: Machine) -> Kernel:
    return Kernel(
        machine,
        naive=lambda count: kind.naive(shape, count),
        draw=lambda count, rng: kind.work(shape, count, rng),
        bound=lambda job: kind.bound(shape, machine, job),
        items=(MULTIPLE, 5 * MULTIPLE, kind.items),
    )


BY_NAME: dict[str, Callable[[int], Kernel]] = {
    "walk": walk,
    "pipeline": pipeline,
    "overlap": overlap,
    "kernel": kernel,
}
"""By the names of the tasks whose kernels they are."""
