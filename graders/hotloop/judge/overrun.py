"""Looking at an answer ends: a check that computes for too long is interrupted.

A worker is waited for with a deadline, but the judge's own code is not: an answer that makes a
check run for hours (a huge count, a search that explodes) would hold the judge until it is lost,
which costs the candidate nothing.
"""

import signal
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from types import FrameType

MARGIN_S = 20.0
"""How long the judge may go on after the time for measuring is over; the judge's parent gives up
on it later (`client.GRACE_S`)."""


class Overrun(Exception):
    """The judge was interrupted in its own code."""


@contextmanager
def ending_after(deadline: Callable[[], float]) -> Generator[None]:
    """Raise Overrun inside, MARGIN_S after the deadline (on the monotonic clock).

    deadline: asked anew when it seems to have passed, as it moves while the judge waits for the
        machine. Without effect outside the main thread, where no signal arrives.
    """
    if threading.current_thread() is not threading.main_thread():
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
_LONGEST_S = 1e6
