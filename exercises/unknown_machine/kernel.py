"""A generator of programs for the kernel that the seed draws, of whichever kind it is.

`python try.py kernel` assembles what `build` returns, runs it, and draws its timeline.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace
from itertools import product

from hotloop.engines.accelerator import kinds
from hotloop.engines.accelerator import machine as machines
from hotloop.engines.accelerator.hashing import Hashing
from hotloop.engines.accelerator.machine import Machine
from hotloop.engines.accelerator.program import Instruction, Program, assemble, instruction
from hotloop.engines.accelerator.ragged import Ragged
from hotloop.engines.accelerator.run import run
from hotloop.engines.accelerator.sparse import COLUMN_BITS, Sparse
from hotloop.engines.accelerator.walk import Walk

### TASK unknown_machine.kernel
KERNEL = 1018
"""The seed of machine and kernel: `python try.py manual kernel` writes its manual."""


def build(items: int) -> str:
    """The program for so many items, as text."""
    raise NotImplementedError("unknown_machine.kernel")
