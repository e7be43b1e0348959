"""CPU time that other processes or a hypervisor took while a candidate was timed."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a judge without a sandbox imports this, too
    from hotloop.sandbox.processes import Usage

FOREIGN_SHARE = 0.03
"""A window is discarded if others took more than this share of its CPU time."""

RUNNER_SHARE = 0.1
"""A thread that ran for this share of a window takes part in it."""

_STAT = Path("/proc/stat")


def steal_seconds() -> float:
    """Return the stolen time of all cores since boot, in seconds; 0 if it is not reported."""
    try:
        with _STAT.open(encoding="ascii") as stream:
            fields = stream.readline().split()
    except OSError:
        return 0.0
    return int(fields[8]) / os.sysconf("SC_CLK_TCK") if len(fields) > 8 else 0.0


def foreign_share(
    before: Usage, after: Usage, seconds: float, threads: int, stolen_s: float
) -> float:
    """Return the share of a window's CPU time that its cores spent on other processes.

    If a thread waits while the candidate's own threads use all of its cores, the candidate causes
    the wait. So at most the time that its processes did not use counts.
    """
    available = seconds * threads
    used = (after.cpu_ns - before.cpu_ns) * 1e-9
    waited = after.waited_ns(before) * 1e-9
    return (min(waited, max(0.0, available - used)) + stolen_s) / available


def crowded(before: Usage, after: Usage, seconds: float, threads: int) -> bool:
    """Return True if more threads took part in a window than it has cores for.

    Those of processes that ended have taken part if these together have used enough time.
    """
    least_ns = RUNNER_SHARE * seconds * 1e9
    present_ns = [time.cpu_ns for time in after.since(before)]
    ended_ns = after.cpu_ns - before.cpu_ns - sum(present_ns)
    return ended_ns >= least_ns or sum(ns >= least_ns for ns in present_ns) > threads
