"""Cycles of straight-line programs, counted by the rules of the manual."""

from __future__ import annotations

from collections import Counter

from hotloop.engines.accelerator.machine import from_dict
from hotloop.engines.accelerator.program import instruction


### BEGIN SOLUTION unknown_machine.count
### STUB def issue_cycles(bundles: list[str], machine: dict) -> list[int]:
### STUB     """The cycle in which each bundle issues. No branches, transfers or vsel."""
### STUB     raise NotImplementedError("unknown_machine.count")
### STUB
### STUB
### STUB def busy_cycles(addresses: list[int], machine: dict) -> int:
### STUB     """The cycles for which one bundle's accesses to these words occupy the scratchpad."""
### STUB     raise NotImplementedError("unknown_machine.count")
def issue_cycles(bundles: list[str], machine: dict) -> list[int]:
    """The cycle in which each bundle issues. No branches, transfers or vsel."""
    latency = machine["latency"]
    ready: dict[str, int] = {}
    cycles: list[int] = []
    for text in bundles:
        bundle = [instruction(part) for part in text.split("|")]
        names = [name for each in bundle for name in (*each.reads, *each.writes)]
        earliest = cycles[-1] + 1 if cycles else 0
        now = max([earliest, *(ready.get(name, 0) for name in names)])
        for each in bundle:
            for name in each.writes:
                ready[name] = now + latency[each.latency]
        cycles.append(now)
    return cycles


def busy_cycles(addresses: list[int], machine: dict) -> int:
    """The cycles for which one bundle's accesses to these words occupy the scratchpad."""
    return max(Counter(map(from_dict(machine).bank, set(addresses))).values())


### END SOLUTION
