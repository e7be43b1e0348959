"""List scheduling: a basic block becomes bundles, and its registers are renamed."""

from __future__ import annotations

import heapq
import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from hotloop.engines.accelerator.machine import UNITS, Machine, from_dict
from hotloop.engines.accelerator.program import Bundle, Instruction, instruction

### TASK unknown_machine.block
def pack(block: list[str], live: list[str], machine: dict) -> list[list[str]]:
    """The block's instructions in bundles, with the same results in fewer cycles.

    live: the registers that hold results afterwards; all others may be used in any way.
    """
    raise NotImplementedError("unknown_machine.block")
