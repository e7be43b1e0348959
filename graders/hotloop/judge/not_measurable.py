"""Checks that this machine cannot measure: they are recorded as such, and no points are lost."""

import shutil
from collections.abc import Sequence

from hotloop.core import extras
from hotloop.judge.spec import TaskSpec

COMPILER = "compiler"
"""Name of the need of a check that builds C++: torch.compile on a CPU, an operator's host code."""


def lacking(spec: TaskSpec) -> dict[str, str]:
    """Return by check why it cannot be measured here, for such checks only.

    That is what is missing and how to install it, or that the machine cannot decide it.
    """
    sentences = {name: check.unfit or _missing(check.needs) for name, check in spec.checks.items()}
    return {name: sentence for name, sentence in sentences.items() if sentence}


def _missing(needs: Sequence[str]) -> str:
    for need in needs:
        if need == COMPILER and shutil.which("g++") is None:
            return "g++ is missing on this machine: sudo apt-get install g++"
        if need in extras.IMPORTED and (missing := extras.missing(need)):
            return f"{missing[0]} is missing on this machine: {extras.remedy(need)}"
    return ""
