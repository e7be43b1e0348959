"""What this machine lacks for rungs of a task: they are not measured, and no points are lost."""

from __future__ import annotations

import shutil

from hotloop import extras
from hotloop.judge.spec import RungSpec, TaskSpec

COMPILER = "compiler"
"""The need of a rung that builds C++: torch.compile on a CPU, an operator's host code."""

WITHHELD = "It needs a GPU, which this grading did not hold; it is measured once a GPU is free."


def lacking(spec: TaskSpec, *, withheld_gpu: bool = False) -> dict[str, str]:
    """By rung, what is missing and the remedy. Rungs for which nothing is missing are left out.

    withheld_gpu: the machine has a GPU that this job may not use.
    """
    found = {name: _missing(rung, withheld_gpu) for name, rung in spec.rungs.items()}
    return {name: said for name, said in found.items() if said}


def _missing(rung: RungSpec, withheld_gpu: bool) -> str:
    if rung.needs_gpu and withheld_gpu:
        return WITHHELD
    for need in rung.needs:
        if need == COMPILER and shutil.which("g++") is None:
            return "g++ is missing on this machine: sudo apt-get install g++"
        if need in extras.IMPORTED and (missing := extras.missing(need)):
            return f"{missing[0]} is missing on this machine: {extras.remedy(need)}"
    return ""
