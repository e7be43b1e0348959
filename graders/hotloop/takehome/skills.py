"""What a rung of the evidence ladder shows about a candidate, in a hiring team's words."""

from __future__ import annotations

from typing import Literal

from hotloop.curriculum import Task
from hotloop.problem import Rung

Skill = Literal[
    "right", "economical", "clean", "compiles", "fast_cpu", "gpu_right", "fast_gpu", "explains"
]

TITLES: dict[Skill, str] = {
    "right": "Right results on unseen inputs",
    "economical": "Economical: few bytes and operations",
    "clean": "Safe: no race, nothing out of bounds",
    "compiles": "Compiles for what it must run on",
    "fast_cpu": "Fast on a CPU",
    "gpu_right": "Right on a GPU",
    "fast_gpu": "Fast on a GPU",
    "explains": "Explains in writing",
}
"""In the ladder's order."""

_BY_RUNG: dict[str, Skill] = {
    "traffic": "economical",
    "cheap": "economical",
    "costs": "economical",
    "memory": "economical",
    "batches": "economical",
    "clean": "clean",
    "compiles": "compiles",
    "compiled": "compiles",
    "exported": "compiles",
    "legalized": "compiles",
    "builds": "compiles",
}


def skill(task: Task, rung: Rung) -> Skill:
    """Which one the rung shows. What has no other name is about right results."""
    if task.kind == "written":
        return "explains"
    if rung.threshold is not None:
        return "fast_gpu" if rung.needs_gpu else "fast_cpu"
    if rung.id in _BY_RUNG:
        return _BY_RUNG[rung.id]
    return "gpu_right" if rung.needs_gpu else "right"
