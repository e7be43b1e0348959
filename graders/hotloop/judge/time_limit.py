"""Interrupts a check that takes too long to inspect an answer.

A worker is awaited with a deadline, but the judge's own code is not. An answer that makes a check
run for hours (a huge count, a search that explodes) would block the judge until its parent gives
up, which costs the candidate no points.
"""

import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

MARGIN_S = 20.0
"""Seconds that the judge may continue after the task's deadline; the judge's parent gives up later
(`client.GRACE_S`)."""


class Overrun(Exception):
    """The judge's own code was interrupted because it took too long."""


@contextmanager
def ending_after(deadline: Callable[[], float]) -> Generator[None]:
    """Raise Overrun inside the `with` block, MARGIN_S after the deadline (on the monotonic clock).

    deadline: called again when it seems to have passed, since it moves while the judge waits for
        the machine. No effect outside the main thread, which alone receives signals, and where a
        system has no timer that sends one.
    """
    if threading.current_thread() is not threading.main_thread() or not hasattr(
        signal, "setitimer"
    ):
        yield
        return

    def check(_number: int, _frame: FrameType | None) -> None:
        left = deadline() + MARGIN_S - time.monotonic()
        if left <= 0:
            raise Overrun("looking at an answer took too long")
        signal.setitimer(signal.ITIMER_REAL, min(left, _LONGEST_S))

    earlier = signal.signal(signal.SIGALRM, check)
    left = deadline() + MARGIN_S - time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, min(max(left, _SOON_S), _LONGEST_S))
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, earlier)


_SOON_S = 0.01
_LONGEST_S = 10.0
"""A deadline that is suspended now may be back when the alarm rings."""
