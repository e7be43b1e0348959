"""Who runs where while speed is judged, so that neighbours disturb neither side.

With the right to do so (root, or CAP_SYS_NICE) the workers get a real-time class: a busy neighbour
then cannot take their cores, which no interval could undo afterwards. Without it they are made as
nice as allowed, and windows that were disturbed are thrown away.
"""

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Protocol

from hotloop.sandbox.freezer import Freezer

_REAL_TIME = os.sched_param(1)
_ORDINARY = os.sched_param(0)
_AUTOGROUP = Path("/proc/self/autogroup")
NICEST = -20


class Placed(Protocol):
    """A worker's link, or a server's process: a tree that can be put somewhere."""

    @property
    def freezer(self) -> Freezer:
        """Stops, measures and places the tree."""
        ...


@contextmanager
def undisturbed(links: Sequence[Placed], threads: int) -> Generator[None]:
    """Keep the judge on cores of its own where there are enough, and the workers on theirs."""
    cores = sorted(os.sched_getaffinity(0))
    theirs, spare = set(cores[-threads:]), set(cores[:-threads])
    try:
        for link in links:
            join(link, theirs)
        _favour_judge(spare)
        yield
    finally:
        os.sched_setaffinity(0, cores)
        _set_class([0], os.SCHED_OTHER, _ORDINARY)
        _set_own_niceness(0)
        for link in links:
            _set_class(link.freezer.usage().tasks, os.SCHED_OTHER, _ORDINARY)
            link.freezer.set_affinity(set(cores))


def join(link: Placed, cores: set[int]) -> None:
    """Put a worker on the cores that are measured on, before all others there."""
    link.freezer.set_affinity(cores)
    promote(link)


def cores_of(link: Placed) -> set[int]:
    """All cores that any thread of a worker may use."""
    return {core for task in link.freezer.usage().tasks for core in _affinity(task)}


def spread(link: Placed, threads: int) -> None:
    """Bind the threads that compute to a core each; the others may use all of the worker's.

    The worker may not do so itself, and the scheduler sometimes leaves two real-time threads on
    one core for as long as the process lives.
    """
    cores = sorted(cores_of(link))
    tasks = sorted(link.freezer.usage().tasks, key=_cpu_ticks, reverse=True)
    for number, task in enumerate(tasks):
        bound = {cores[number]} if number < min(threads, len(cores)) else set(cores)
        with suppress(ProcessLookupError):
            os.sched_setaffinity(task, bound)


def promote(link: Placed) -> None:
    """Give all threads of a worker precedence; repeat it when it may have started new ones."""
    if not _set_class(link.freezer.usage().tasks, os.SCHED_RR, _REAL_TIME):
        link.freezer.set_priority(NICEST)


def outranks_all(tasks: Iterable[int]) -> bool:
    """True for promoted threads: when one of them waits for a core, another of them has it."""
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
    """CPU time of a thread since it began."""
    try:
        fields = Path(f"/proc/{task}/task/{task}/stat").read_text(
            encoding="ascii", errors="replace"
        )
    except OSError:
        return 0
    numbers = fields.rpartition(")")[2].split()
    return int(numbers[11]) + int(numbers[12])


def _favour_judge(spare: set[int]) -> None:
    if not spare:
        # On shared cores the judge must not outrank a worker: it waits, spinning, for it to freeze.
        _set_own_niceness(NICEST)
        return
    os.sched_setaffinity(0, spare)
    if not _set_class([0], os.SCHED_RR, _REAL_TIME):
        _set_own_niceness(NICEST)


def _set_class(tasks: Iterable[int], policy: int, parameter: os.sched_param) -> bool:
    for task in tasks:
        try:
            os.sched_setscheduler(task, policy, parameter)
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
