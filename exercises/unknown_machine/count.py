"""Cycles of straight-line programs, counted by the rules of the manual."""

from __future__ import annotations

from collections import Counter

from hotloop.engines.accelerator.machine import from_dict
from hotloop.engines.accelerator.program import instruction


### TASK unknown_machine.count
def issue_cycles(bundles: list[str], machine: dict) -> list[int]:
    """The cycle in which each bundle issues. No branches, transfers or vsel."""
    raise NotImplementedError("unknown_machine.count")


def busy_cycles(addresses: list[int], machine: dict) -> int:
    """The cycles for which one bundle's accesses to these words occupy the scratchpad."""
    raise NotImplementedError("unknown_machine.count")
