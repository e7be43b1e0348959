"""CPU placement and priority of the judge and the workers while speed is measured.

With the privilege (root or CAP_SYS_NICE), workers get a real-time scheduling class, so that a busy
neighbor cannot take their cores; statistics could not correct for that afterwards. Without it,
workers get the best allowed nice value, and disturbed windows are discarded.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:  # a judge without a sandbox imports this, too
    from hotloop.sandbox.freezer import Freezer

_REAL_TIME = 1
_ORDINARY = 0
_AUTOGROUP = Path("/proc/self/autogroup")
NICEST = -20


class ScheduledProcess(Protocol):
    """A worker or a server's process: a process tree with affinity and priority."""

    @property
    def freezer(self) -> Freezer:
        """Freezes, measures and places the tree."""
        ...


@contextmanager
def undisturbed(workers: Sequence[ScheduledProcess], threads: int) -> Generator[None]:
    """Keep the judge and the workers on separate cores, if there are enough."""
    cores = sorted(os.sched_getaffinity(0))
    theirs, spare = set(cores[-threads:]), set(cores[:-threads])
    try:
        for worker in workers:
            join(worker, theirs)
        _favor_judge(spare)
        yield
    finally:
        os.sched_setaffinity(0, cores)
        _set_class([0], os.SCHED_OTHER, _ORDINARY)
        _set_own_niceness(0)
        for worker in workers:
            _set_class(worker.freezer.usage().tasks, os.SCHED_OTHER, _ORDINARY)
            worker.freezer.set_affinity(set(cores))


def join(worker: ScheduledProcess, cores: set[int]) -> None:
    """Move a worker to the cores used for measuring, with precedence over other processes there."""
    worker.freezer.set_affinity(cores)
    promote(worker)


def cores_of(worker: ScheduledProcess) -> set[int]:
    """Return all cores that any thread of a worker may use."""
    return {core for task in worker.freezer.usage().tasks for core in _affinity(task)}


def spread(worker: ScheduledProcess, threads: int) -> None:
    """Bind each computing thread to one core; the other threads may use all of the worker's cores.

    The worker may not set its own affinity, and the scheduler sometimes keeps two real-time threads
    on one core for the life of the process.
    """
    cores = sorted(cores_of(worker))
    tasks = sorted(worker.freezer.usage().tasks, key=_cpu_ticks, reverse=True)
    for number, task in enumerate(tasks):
        bound = {cores[number]} if number < min(threads, len(cores)) else set(cores)
        with suppress(ProcessLookupError):
            os.sched_setaffinity(task, bound)


def promote(worker: ScheduledProcess) -> None:
    """Give all threads of a worker precedence; call it again after it may have started new ones."""
    if not _set_class(worker.freezer.usage().tasks, os.SCHED_RR, _REAL_TIME):
        worker.freezer.set_priority(NICEST)


def outranks_all(tasks: Iterable[int]) -> bool:
    """Return True if all threads are real-time.

    A core that one of them waits for is then used by another of them.
    """
    return all(_is_real_time(task) for task in tasks)


def _is_real_time(task: int) -> bool:
    try:
        return os.sched_getscheduler(task) == os.SCHED_RR
    except ProcessLookupError:
        return True


def _affinity(task: int) -> set[int]:
    try:
        return os.sched_getaffinity(task)
    except ProcessLookupError:
        return set()


def _cpu_ticks(task: int) -> int:
    """Return the CPU time of a thread in clock ticks."""
    try:
        fields = Path(f"/proc/{task}/task/{task}/stat").read_text(
            encoding="ascii", errors="replace"
        )
    except OSError:
        return 0
    numbers = fields.rpartition(")")[2].split()
    return int(numbers[11]) + int(numbers[12])


def _favor_judge(spare: set[int]) -> None:
    if not spare:
        # On shared cores the judge must not outrank a worker: it busy-waits for the worker to
        # freeze.
        _set_own_niceness(NICEST)
        return
    os.sched_setaffinity(0, spare)
    if not _set_class([0], os.SCHED_RR, _REAL_TIME):
        _set_own_niceness(NICEST)


def _set_class(tasks: Iterable[int], policy: int, priority: int) -> bool:
    for task in tasks:
        try:
            os.sched_setscheduler(task, policy, os.sched_param(priority))
        except ProcessLookupError:
            continue
        except PermissionError:
            return False
    return True


def _set_own_niceness(nice: int) -> None:
    try:
        os.setpriority(os.PRIO_PROCESS, 0, nice)
        _AUTOGROUP.write_text(str(nice), encoding="ascii")
    except OSError:
        return
