"""Niceness that counts: of threads, and of the scheduling group that Linux makes for each session.

With kernel.sched_autogroup_enabled the scheduler first shares CPUs among sessions, so that a
thread's own niceness counts only against others of its session. Both are set here.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def set_threads(tasks: Iterable[int], nice: int) -> bool:
    """Of these threads only; those that are gone are passed over. False where not allowed."""
    for task in tasks:
        try:
            os.setpriority(os.PRIO_PROCESS, task, nice)
        except ProcessLookupError:
            continue
        except PermissionError:
            return False
    return True


def set_with_sessions(tasks: list[int], nice: int) -> bool:
    """Of these threads and of the sessions that they are in."""
    for task in tasks:
        with suppress(OSError):
            Path(f"/proc/{task}/autogroup").write_text(str(nice), encoding="ascii")
    return set_threads(tasks, nice)


def set_affinity(tasks: Iterable[int], cpus: set[int]) -> None:
    """Keep these threads, and what they start, on these CPUs."""
    for task in tasks:
        with suppress(ProcessLookupError):
            os.sched_setaffinity(task, cpus)
