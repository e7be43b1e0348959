"""Simulated machines, schedules of a matrix product, and their times on each machine.

The times come from a model: two cache levels, vectors, registers, latency, a cost per tile. Its
parameters are sampled for each machine, so the best schedule cannot be known beforehand.
Measurements have a noise of a few percent and occasional outliers, as on a real machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from hotloop.core.wire import as_message
from hotloop.judge.constants import constant

Rng = np.random.Generator
Array = NDArray[np.float64]
Shape = tuple[int, int, int]
"""m, n and k of C[m, n] = Σ A[m, k] · B[k, n]."""

SPACE: dict[str, tuple[int, ...]] = {
    "tile_m": (4, 8, 16, 32, 64, 128),
    "tile_n": (8, 16, 32, 64, 128, 256),
    "tile_k": (8, 32, 128, 512),
    "unroll": (1, 2, 4, 8, 16),
    "vector": (1, 4, 8, 16),
    "keep_output": (0, 1),
}
"""keep_output: whether a tile of C stays until its sum is done; otherwise a tile of A stays."""

NAMES = tuple(SPACE)
SCHEDULES: NDArray[np.int64] = np.array(list(product(*SPACE.values())))
"""All schedules, int64, one per row, with columns in the order of NAMES."""

ELEMENT = 4


@dataclass(frozen=True)
class Machine:
    """Parameters of a simulated machine, which the candidate does not see."""

    width: int
    registers: int
    latency: int
    near_bytes: float
    far_bytes: float
    flops_per_s: float
    near_bytes_per_s: float
    far_bytes_per_s: float
    memory_bytes_per_s: float
    tile_s: float
    noise: float


def sample(rng: Rng) -> Machine:
    """Sample a machine."""
    width = int(rng.choice([4, 8, 16]))
    peak = 2e9 * 2 * width * float(rng.uniform(1, 2))
    return Machine(
        width=width,
        registers=int(rng.choice([16, 32])),
        latency=int(rng.choice([4, 8])),
        near_bytes=float(rng.choice([32, 48, 64])) * 1024,
        far_bytes=float(rng.choice([256, 512, 1024, 2048])) * 1024,
        flops_per_s=peak,
        near_bytes_per_s=peak / float(rng.uniform(0.8, 1.6)),
        far_bytes_per_s=peak / float(rng.uniform(3, 6)),
        memory_bytes_per_s=peak / float(rng.uniform(10, 25)),
        tile_s=float(rng.uniform(0.5, 2.0)) * 1e-7,
        noise=float(rng.uniform(0.02, 0.05)),
    )


def seconds(machine: Machine, shape: Shape, schedules: NDArray[np.int64]) -> Array:
    """Return the time of each schedule in seconds, without noise."""
    sizes = np.array(shape, float)
    tiles = schedules[:, :3].astype(float)
    counts = np.ceil(sizes / tiles)
    unroll, vector, keeps = (schedules[:, column].astype(float) for column in (3, 4, 5))
    computed = 2 * (counts * tiles).prod(axis=1)
    busy = computed / (machine.flops_per_s * _efficiency(machine, unroll, vector))
    waits = _moved_s(machine, sizes, tiles, counts, keeps > 0)
    tiles_s = machine.tile_s * counts.prod(axis=1)
    return np.maximum(busy, waits) + 0.3 * np.minimum(busy, waits) + tiles_s


def _efficiency(machine: Machine, unroll: Array, vector: Array) -> Array:
    """Return the ALUs' utilization: filled vectors, latency hiding, register spills."""
    lanes = np.minimum(vector, machine.width) / machine.width
    parts = np.maximum(1.0, vector / machine.width)
    independent = np.minimum(1.0, unroll * parts / machine.latency) ** 0.8
    spilled = np.maximum(0.0, unroll * parts + 2 - machine.registers)
    return lanes * independent / (1 + 0.25 * spilled)


def _moved_s(
    machine: Machine, sizes: Array, tiles: Array, counts: Array, keeps: NDArray[np.bool_]
) -> Array:
    """Return the seconds to load the loops' bytes, each from the level that its operands fit in."""
    m, n, k = (float(size) for size in sizes)
    left, right, out = m * k * counts[:, 1], k * n * counts[:, 0], m * n * 2.0
    left = np.where(keeps, left, m * k)
    out = np.where(keeps, out, out * counts[:, 2])
    moved: Array = ELEMENT * (left + right + out)
    tile = ELEMENT * (
        tiles[:, 0] * tiles[:, 2] + tiles[:, 2] * tiles[:, 1] + tiles[:, 0] * tiles[:, 1]
    )
    once = ELEMENT * (m * k + k * n + m * n)
    outer = np.where(
        once <= machine.far_bytes,
        moved / machine.far_bytes_per_s,
        moved / machine.memory_bytes_per_s,
    )
    # A tile that does not fit is reloaded, one element per row or column of the other operand.
    loaded = ELEMENT * m * n * k * (1 / tiles[:, 0] + 1 / tiles[:, 1])
    inner = loaded * np.where(
        tile <= machine.near_bytes,
        1 / machine.near_bytes_per_s,
        np.where(
            tile <= machine.far_bytes,
            1 / machine.far_bytes_per_s,
            1 / machine.memory_bytes_per_s,
        ),
    )
    return np.maximum(outer, inner)


def measured(machine: Machine, shape: Shape, schedule: NDArray[np.int64], rng: Rng) -> float:
    """Return one noisy measurement in seconds; about 3 in 100 are outliers."""
    exact = float(seconds(machine, shape, schedule[None])[0])
    late = float(rng.uniform(1.5, 4.0)) if rng.random() < 0.03 else 1.0
    return exact * float(np.exp(machine.noise * rng.standard_normal())) * late


def as_row(schedule: object) -> NDArray[np.int64] | None:
    """Return the candidate's schedule as a row of SCHEDULES; None if it is not in the space."""
    settings = as_message(schedule)
    # In a take-home's variant, a schedule carries a revision number.
    revision = constant("REVISION", 0, range(2, 1000))
    if settings is not None and revision:
        marked = settings.get("revision")
        if type(marked) is not int or marked != revision:
            return None
        settings = {name: value for name, value in settings.items() if name != "revision"}
    if settings is None or set(settings) != set(NAMES):
        return None
    values = [settings[name] for name in NAMES]
    if not all(v in SPACE[n] for v, n in zip(values, NAMES, strict=True)):
        return None
    return np.array(values, np.int64)
