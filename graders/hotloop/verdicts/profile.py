"""Formats Nsight Compute's measurements of a learner's kernels as a table.

The data comes from a record's evidence, from a program that ran next to the learner's code: it is
displayed as text and affects no verdict.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self, cast

_COLUMNS = (
    ("kernel", "kernel", "", 1.0),
    ("us", "nanoseconds", ".1f", 1e-3),
    ("DRAM MB", "dram_bytes", ".2f", 1e-6),
    ("DRAM %", "dram_percent", ".0f", 1.0),
    ("SM %", "sm_percent", ".0f", 1.0),
    ("occupancy %", "occupancy_percent", ".0f", 1.0),
    ("registers", "registers", ".0f", 1.0),
    ("bank conflicts", "bank_conflicts", ".0f", 1.0),
    ("grid", "grid", "", 1.0),
    ("block", "block", "", 1.0),
)
"""Heading, name in the evidence (`hotloop.judge.gpu.nsight`), format, factor."""


@dataclass(frozen=True)
class Profile:
    """A table with one row per kernel. why_not: the reason if there are no rows."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    why_not: str = ""

    @classmethod
    def of(cls, evidence: Mapping[str, Any]) -> Self | None:
        """Return the table; None if Nsight Compute was not requested."""
        columns = [heading for heading, *_ in _COLUMNS]
        found = evidence.get("nsight")
        if isinstance(found, str):
            return cls(columns, [], found)
        if not isinstance(found, list):
            return None
        rows = [
            [_cell(kernel.get(name), shape, factor) for _, name, shape, factor in _COLUMNS]
            for kernel in cast("list[dict[str, Any]]", found)
        ]
        return cls(columns, rows)


def _cell(value: Any, shape: str, factor: float) -> str:
    if isinstance(value, int | float) and shape:
        return format(value * factor, shape)
    return value if isinstance(value, str) else ""
