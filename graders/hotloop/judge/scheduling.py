"""Who runs where while speed is judged, so that neighbours disturb neither side.

With the right to do so (root, or CAP_SYS_NICE) the workers get a real-time class: a busy neighbour
then cannot take their cores, which no interval could mend afterwards. Without it they are made as
nice as allowed, and windows that were disturbed are thrown away.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterable, Sequence
from contextlib import contextmanager
from pathlib import Path

from hotloop.judge.link import Link

_REAL_TIME = os.sched_param(1)
_ORDINARY = os.sched_param(0)
_AUTOGROUP = Path("/proc/self/autogroup")
NICEST = -20


@contextmanager
def undisturbed(links: Sequence[Link], threads: int) -> Generator[None]:
    """Keep the judge on cores of its own where there are enough, and the workers on theirs.

    A worker of several threads binds them itself (OMP_PLACES), one thread a core.
    """
    cores = sorted(os.sched_getaffinity(0))
    theirs, spare = set(cores[-threads:]), set(cores[:-threads])
    try:
        for link in links:
            if threads == 1:
                link.freezer.set_affinity(theirs)
            promote(link)
        _favour_judge(spare)
        yield
    finally:
        os.sched_setaffinity(0, cores)
        _set_class([0], os.SCHED_OTHER, _ORDINARY)
        _set_own_niceness(0)
        for link in links:
            _set_class(link.freezer.usage().tasks, os.SCHED_OTHER, _ORDINARY)
            if threads == 1:
                link.freezer.set_affinity(set(cores))


def promote(link: Link) -> None:
    """Give all threads of a worker precedence; repeat it when it may have started new ones."""
    if not _set_class(link.freezer.usage().tasks, os.SCHED_RR, _REAL_TIME):
        link.freezer.set_priority(NICEST)


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
