"""CPU time that others took while a candidate was timed: other processes, or a hypervisor."""

import os
from pathlib import Path

from hotloop.sandbox.freezer import Usage

FOREIGN_SHARE = 0.03
"""A window in which others took more than this share of its CPU time is thrown away."""

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


def foreign_share(
    before: Usage, after: Usage, seconds: float, threads: int, stolen_s: float
) -> float:
    """Share of a window's CPU time that its cores spent on others.

    A thread that waits while the candidate's own threads use all of its cores is the candidate's
    affair; only time that the tree did not use can have gone to others.
    """
    available = seconds * threads
    used = (after.cpu_ns - before.cpu_ns) * 1e-9
    waited = (after.wait_ns - before.wait_ns) * 1e-9
    return (min(waited, max(0.0, available - used)) + stolen_s) / available
