"""A generator of programs that hash the rows of a matrix: double buffers, and rows apart in banks.

`python try.py overlap` assembles what `build` returns, runs it, and draws its timeline.
"""

from __future__ import annotations

import random
from itertools import product

from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator import rows as matrices
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, assemble, instruction
from hotloop.engines.accelerator.rows import Rows
from hotloop.engines.accelerator.run import run

### TASK unknown_machine.overlap
MACHINE = 12
"""The seed of the machine: `python try.py manual overlap` writes its manual."""


def build(rows: int) -> str:
    """The program for so many rows, as text."""
    raise NotImplementedError("unknown_machine.overlap")
