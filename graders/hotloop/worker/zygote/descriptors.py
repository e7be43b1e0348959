"""Gives a child exactly the file descriptors that it needs, under the numbers that it expects."""

import fcntl
import os
from collections.abc import Iterable

STANDARD = frozenset({0, 1, 2})


def arrange(wanted: dict[int, int], kept: int) -> int:
    """Move each descriptor of `wanted` (number -> present descriptor) to its number.

    All others are closed, except `kept`, whose new number is returned. The wanted ones stay open
    across an exec, as if the program had been executed with them; `kept` is close-on-exec.
    """
    free = max((*STANDARD, *wanted, *wanted.values(), kept)) + 1
    moved = {number: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, free) for number, fd in wanted.items()}
    kept = fcntl.fcntl(kept, fcntl.F_DUPFD_CLOEXEC, free)
    for number, fd in moved.items():
        os.dup2(fd, number)
    close_all_but({*wanted, kept})
    return kept


def close_all_but(kept: Iterable[int]) -> None:
    """Close every descriptor that is not in `kept`."""
    low = 0
    for fd in sorted(kept):
        if low < fd:  # closerange(0, 0) would close all of them
            os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, 1 << 30)
