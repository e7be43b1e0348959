"""A generator of programs that hash each item: a software-pipelined loop.

`python try.py pipeline` assembles what `build` returns, runs it, and draws its timeline.
"""

from __future__ import annotations

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, instruction
from hotloop.engines.accelerator.walk import HashStep, Walk

### TASK unknown_machine.pipeline
MACHINE = 12
"""The seed of the machine: `python try.py manual pipeline` writes its manual."""


def build(items: int) -> str:
    """The program for so many items, as text."""
    raise NotImplementedError("unknown_machine.pipeline")
