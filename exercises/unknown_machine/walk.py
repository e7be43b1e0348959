"""A generator of programs for the walk: vectors in several streams, cut into stages.

`python try.py walk` assembles what `build` returns, runs it, and draws its timeline.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import product

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import walk as walks
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, assemble, instruction
from hotloop.engines.accelerator.run import run
from hotloop.engines.accelerator.walk import HashStep, Walk

### TASK unknown_machine.walk
MACHINE = 12
"""The seed of the machine: `python try.py manual walk` writes its manual."""


def build(items: int) -> str:
    """The program for so many items, as text."""
    raise NotImplementedError("unknown_machine.walk")
