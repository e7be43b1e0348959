"""Time budget for judging one task; waiting for the machine and preparing it do not count."""

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hotloop.core.verdict import Ruling, Verdict

OWN_SHARE = 1 / 3
"""If the judge waited for the candidate for this share of the task's time, then the candidate has
used the time up. The judge's own work needs less than the rest, unless the machine is busy."""

NOTHING_S = 1.0
"""Seconds that are too few to begin anything."""

TIME_IS_UP = "The judging's time was used up: judging again decides."
_USED_UP = "It used up the {:.0f} seconds that the task has in all: do less in each call."


class Budget:
    """A deadline `seconds` from now.

    turn: blocks until no other grading runs on the machine.
    extend: tells whoever waits for the judge that it takes up to so many seconds more.
    turn_s: seconds that did not count, spent on `turn` or in `without`; the deadline was moved by
        them.
    waited_s: seconds for which the judge has waited for the candidate: for its answers, and until
        its processes were frozen or ran again.
    """

    def __init__(
        self,
        seconds: float,
        turn: Callable[[], None] = lambda: None,
        extend: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        self.deadline = time.monotonic() + seconds
        self.turn_s = 0.0
        self._seconds = seconds
        self.waited_s = 0.0
        self._turn: Callable[[], None] | None = turn
        self._extend = extend

    @contextmanager
    def waiting(self) -> Generator[None]:
        """Count the time inside the `with` block, in which the judge waits for the candidate."""
        started = time.monotonic()
        try:
            yield
        finally:
            self.waited_s += time.monotonic() - started

    @property
    def used_by_candidate(self) -> bool:
        """True if no time is left, and the candidate is why."""
        left = self.deadline - time.monotonic()
        return left < NOTHING_S and self.waited_s >= OWN_SHARE * self._seconds

    def time_is_up(self) -> Ruling:
        """Return the Ruling for a task whose time is used up.

        TIMEOUT if the candidate used it, so that nobody chooses to stay open; UNDECIDED if the
        judge or other programs did.
        """
        if self.used_by_candidate:
            return Ruling(Verdict.TIMEOUT, _USED_UP.format(self._seconds))
        return Ruling(Verdict.UNDECIDED, TIME_IS_UP)

    def remaining_s(self) -> float:
        """Return the seconds left for measuring. Raises the Ruling of `time_is_up` if none is."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise self.time_is_up()
        return left

    def timeout(self, most_s: float) -> float:
        """Return how many seconds to wait for the candidate: `most_s`, or the time left if less.

        Raises Ruling(TIMEOUT) if the task's time is used up.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ruling(Verdict.TIMEOUT, _USED_UP.format(self._seconds))
        return min(most_s, left)

    def wait_for_turn(self) -> None:
        """On the first call, wait until no other grading runs; extend the deadline accordingly."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        with self._stopped():
            turn()

    @contextmanager
    def without(self, most_s: float) -> Generator[None]:
        """Do not count the time in the `with` block: it is spent on this machine, not on a task.

        most_s: how long it may take at most, in seconds.
        """
        self._extend(most_s)
        with self._stopped():
            yield

    @contextmanager
    def _stopped(self) -> Generator[None]:
        started, deadline = time.monotonic(), self.deadline
        self.deadline = math.inf
        try:
            yield
        finally:
            stopped_s = time.monotonic() - started
            self.turn_s += stopped_s
            self.deadline = deadline + stopped_s
