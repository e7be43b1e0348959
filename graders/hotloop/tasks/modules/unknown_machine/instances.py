"""The machine of this judging: the course's, or the one drawn for a take-home's candidate."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.walk import Walk
from hotloop.judge.constants import constant

PLAIN = 12
"""The seed of the course's machine."""


@cache
def rows_by_seed() -> dict[int, dict[str, Any]]:
    """Return, by seed, what naive program, levels and bound take on machines of like difficulty.

    `tests/benchmarks/accelerators.py spread` draws and measures them, and rejects the others.
    """
    path = Path(__file__).with_name("instances.json")
    return {row["seed"]: row for row in json.loads(path.read_text(encoding="utf-8"))}


def seed() -> int:
    """Return the seed of this judging."""
    return constant("MACHINE", PLAIN, rows_by_seed().keys())


LEVELS = ("a vector at a time", "streams, packed", "the module’s solution")
"""Names of the programs whose cycles calibration measured; the last one is public."""


def references() -> dict[str, float]:
    """Return the scores of these programs for the walk on this judging's machine."""
    row = rows_by_seed().get(seed())
    if row is None:
        return {}
    searched = {"search": row["search_score"]} if "search_score" in row else {}
    return {**dict(zip(LEVELS, row["scores"], strict=True)), **searched}


def machine() -> Machine:
    """Return the machine of this judging."""
    return machines.draw(seed())


def walk() -> Walk:
    """Return the kernel of this judging."""
    return walks.draw(seed())
