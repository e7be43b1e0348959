"""The judge's own work between two windows, on all cores.

While inputs are written everything else stands still: the cores on which speed is measured are
free, and the judge, which keeps off them otherwise, may use them. numpy lets other threads run
while it draws numbers and looks at them.
"""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from functools import cache
from typing import TypeVar

MOST = 4
"""A cap for large machines; two have been tried."""

T = TypeVar("T")


def in_shares(items: Sequence[T], work: Callable[[int, Sequence[T]], None]) -> None:
    """`work` on all of `items`, each of which is in one share; raises what it raises.

    work: gets a share's number, below MOST, and the share.
    """
    count = min(_hands(), len(items))
    if count <= 1:
        work(0, items)
        return
    shares = [(number, items[number::count]) for number in range(count)]
    working = [_pool().submit(work, *share) for share in shares]
    # Nobody may still be at the buffers when a failure has them closed.
    wait(working)
    for done in working:
        done.result()


@cache
def _hands() -> int:
    """As many as the process may use cores; one thread of it may be bound to fewer."""
    return min(MOST, len(_cores()))


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(
        _hands(), "hand", initializer=os.sched_setaffinity, initargs=(0, _cores())
    )


@cache
def _cores() -> frozenset[int]:
    """Asked for when the judge starts to judge, before it keeps off any."""
    return frozenset(os.sched_getaffinity(0))
