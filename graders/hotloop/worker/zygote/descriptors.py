"""Exactly the descriptors that a child is to have, under the numbers that it is to have."""

import fcntl
import os
from collections.abc import Iterable

STANDARD = frozenset({0, 1, 2})


def arrange(wanted: dict[int, int], kept: int) -> int:
    """Put each descriptor of `wanted` (number -> present descriptor) under its number and close
    all others, but for `kept`, whose new number is returned. They outlive an execution, as they
    would if the program had been executed with them; `kept` does not.
    """
    free = max((*STANDARD, *wanted, *wanted.values(), kept)) + 1
    moved = {number: fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, free) for number, fd in wanted.items()}
    kept = fcntl.fcntl(kept, fcntl.F_DUPFD_CLOEXEC, free)
    for number, fd in moved.items():
        os.dup2(fd, number)
    close_all_but({*wanted, kept})
    return kept


def close_all_but(kept: Iterable[int]) -> None:
    """Close every other descriptor."""
    low = 0
    for fd in sorted(kept):
        if low < fd:  # an empty range that starts at 0 would be all
            os.closerange(low, fd)
        low = fd + 1
    os.closerange(low, 1 << 30)
