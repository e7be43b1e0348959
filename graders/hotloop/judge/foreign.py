"""CPU time that a hypervisor took from this machine, which no process here is charged for."""

from __future__ import annotations

import os
from pathlib import Path

_STAT = Path("/proc/stat")
_TICK = 1.0 / os.sysconf("SC_CLK_TCK")


def steal_seconds() -> float:
    """Total stolen time of all cores since boot, in seconds; 0 where the system does not say."""
    try:
        with _STAT.open(encoding="ascii") as stream:
            fields = stream.readline().split()
    except OSError:
        return 0.0
    return int(fields[8]) * _TICK if len(fields) > 8 else 0.0
