"""The judge's programs of this module: each runs JAX in a worker, apart from the candidate."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.core.wire import Message, as_message
from hotloop.judge.judge_fault import JudgeFault
from hotloop.judge.program import Program

PROGRAMS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / "xla_vs_eager"
NETWORK = {"network.py": GIVEN / "network.py"}
QUICKLY = (("XLA_FLAGS", "--xla_backend_optimization_level=0"),)
"""A program runs only once or a few times, so compiling takes longer than running."""


def program(main: str, *, network: bool = False) -> Program:
    """Return a program whose worker sees the file `main` and, if `network`, network.py."""
    return Program({main: PROGRAMS / main, **(NETWORK if network else {})}, main, QUICKLY)


def reported(answer: object) -> Message:
    """Return a program's answer, a dict. Raises JudgeFault for anything else."""
    message = as_message(answer)
    if message is None:
        raise JudgeFault(f"a program of ours returned {answer!r}, not a dict")
    return message
