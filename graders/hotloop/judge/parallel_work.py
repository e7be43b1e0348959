"""The judge's own work between two windows, in threads on all cores.

Everything else is frozen while inputs are written. So the judge may use the cores on which speed is
measured, which it otherwise avoids. numpy releases the GIL while it generates and compares numbers.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

MOST = 4
"""Maximum number of threads on large machines; two have been tried."""

T = TypeVar("T")


def in_shares(items: Sequence[T], work: Callable[[int, Sequence[T]], None]) -> None:
    """Run `work` on all items, divided among threads; raise what it raises.

    work: takes the share's number, below MOST, and the share's items.
    """
    count = min(_threads(), len(items))
    if count <= 1:
        work(0, items)
        return
    shares = [(number, items[number::count]) for number in range(count)]
    working = [_pool().submit(work, *share) for share in shares]
    # Wait for all threads: after a failure, the caller closes the buffers.
    wait(working)
    for done in working:
        done.result()


@cache
def _threads() -> int:
    """Return the number of threads: the cores that the process may use, at most MOST.

    Not those of the calling thread, which may be bound to fewer.
    """
    return min(MOST, len(_cores()))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(
        _threads(), "judge", initializer=os.sched_setaffinity, initargs=(0, _cores())
    )


@cache
def _cores() -> frozenset[int]:
    """Return the cores that the process may use, read before the judge restricts itself to some."""
    return frozenset(os.sched_getaffinity(0))
