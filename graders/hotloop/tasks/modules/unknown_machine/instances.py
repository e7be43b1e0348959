"""The machine of this judging: the course's, or the one drawn for a take-home's candidate."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from hotloop.judge.constants import constant

PLAIN = 12
"""The seed of the course's machine."""

PLAIN_KERNEL = 1018
"""The seed of the course's last task, whose kernel is drawn as well."""


@cache
def rows_by_seed(name: str = "instances.json") -> dict[int, dict[str, Any]]:
    """Return, by seed, what naive program, levels and bound take on machines of like difficulty.

    `tests/benchmarks/accelerators.py spread` draws and measures them, and rejects the others.
    """
    path = Path(__file__).with_name(name)
    return {row["seed"]: row for row in json.loads(path.read_text(encoding="utf-8"))}


def kernel_rows() -> dict[int, dict[str, Any]]:
    """Return the same where each seed draws its kind of kernel too."""
    return rows_by_seed("kernels.json")


def seed() -> int:
    """Return the seed of this judging."""
    return constant("MACHINE", PLAIN, rows_by_seed().keys())


def kernel_seed() -> int:
    """Return the seed of this judging where the kernel is drawn too."""
    return constant("KERNEL", PLAIN_KERNEL, kernel_rows().keys())


LEVELS = ("a vector at a time", "streams, packed", "the module’s solution")
"""Names of the programs whose cycles calibration measured; the last one is public."""


def references() -> dict[str, float]:
    """Return the scores of these programs for the walk on this judging's machine."""
    return _references(rows_by_seed().get(seed()))


def kernel_references() -> dict[str, float]:
    """Return the scores of these programs where the kernel is drawn too."""
    return _references(kernel_rows().get(kernel_seed()))


def _references(row: dict[str, Any] | None) -> dict[str, float]:
    if row is None:
        return {}
    searched = {"search": row["search_score"]} if "search_score" in row else {}
    return {**dict(zip(LEVELS, row["scores"], strict=True)), **searched}
