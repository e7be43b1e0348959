"""How many wrong mutants of a task's reference passed its checks.

tests/benchmarks/mutants.py judged them, and wrote down what the package carries.
"""

from __future__ import annotations

from typing import Any, cast

from hotloop.curriculum import Task
from hotloop.measured_code import measured_code
from hotloop.takehome.intervals import rate_interval
from hotloop.takehome.recorded import recorded
from hotloop.takehome.report import MutantTrials


def of_task(module: str, task: Task) -> MutantTrials | None:
    """Of a task of which mutants were judged; None for others."""
    measured = recorded("mutants")
    if measured is None:
        return None
    rows = cast("list[dict[str, Any]]", measured["rows"])
    row = next((row for row in rows if row["task"] == f"{module}.{task.id}"), None)
    if row is None:
        return None
    return MutantTrials(
        wrong=row["wrong"],
        passed=row["passed"],
        rate=rate_interval(row["passed"], row["wrong"]),
        judgings=row["judgings"],
        device=str(measured["device"]),
        date=str(row["date"]),
        older=row["code"] != measured_code(module),
    )
