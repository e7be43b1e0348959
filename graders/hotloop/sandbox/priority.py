"""Sets niceness effectively: of threads, and of the scheduling group that Linux makes per session.

With kernel.sched_autogroup_enabled the scheduler first divides CPU time among sessions, so that a
thread's own niceness only matters within its session.
"""

import os
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path


def set_threads(tasks: Iterable[int], nice: int) -> bool:
    """Set the niceness of these threads; skip those that are gone. False if not permitted."""
    for task in tasks:
        try:
            os.setpriority(os.PRIO_PROCESS, task, nice)
        except ProcessLookupError:
            continue
        except PermissionError:
            return False
    return True


def set_with_sessions(tasks: list[int], nice: int) -> bool:
    """Set the niceness of these threads and of their sessions. False if not permitted."""
    for task in tasks:
        with suppress(OSError):
            Path(f"/proc/{task}/autogroup").write_text(str(nice), encoding="ascii")
    return set_threads(tasks, nice)


def set_affinity(tasks: Iterable[int], cpus: set[int]) -> None:
    """Pin these threads, and those that they start, to these CPUs."""
    for task in tasks:
        with suppress(ProcessLookupError):
            os.sched_setaffinity(task, cpus)
