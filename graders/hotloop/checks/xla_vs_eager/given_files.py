"""The programs of ours that this module's checks are made of, and what they tell."""

from __future__ import annotations

from pathlib import Path

from hotloop.core import paths
from hotloop.core.wire import Message, as_message
from hotloop.judge.fault import JudgeFault
from hotloop.judge.program import Program

MODULE = "xla_vs_eager"
HARNESS = Path(__file__).parent / "programs"
GIVEN = paths.exercises() / MODULE
QUICKLY = (("XLA_FLAGS", "--xla_backend_optimization_level=0"),)
"""These programs run once or a few times, so that compiling them is what takes long."""

NETWORK = {"network.py": GIVEN / "network.py"}


def program(main: str, *others: str, network: bool = False) -> Program:
    """One whose worker sees the named files of the harness, and the network if it is asked for."""
    files = {name: HARNESS / name for name in (main, *others)}
    return Program({**files, **(NETWORK if network else {})}, main, QUICKLY)


def told(answer: object) -> Message:
    """What a program of ours gives as its truth."""
    truth = as_message(answer)
    if truth is None:
        raise JudgeFault("our own program gave no truth")
    return truth
