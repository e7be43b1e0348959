"""Time budget for judging one task; waiting for the machine and preparing it do not count."""

import math
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager

from hotloop.core.verdict import Ruling, Verdict

TIME_IS_UP = "The judging's time was used up: judging again decides."


class Budget:
    """A deadline `seconds` from now.

    turn: blocks until no other grading runs on the machine.
    extend: tells whoever waits for the judge that it takes up to so many seconds more.
    """

    def __init__(
        self,
        seconds: float,
        turn: Callable[[], None] = lambda: None,
        extend: Callable[[float], None] = lambda _seconds: None,
    ) -> None:
        self.deadline = time.monotonic() + seconds
        self._turn: Callable[[], None] | None = turn
        self._extend = extend

    def remaining_s(self) -> float:
        """Return the seconds left for measuring. Raises Ruling(UNDECIDED) if there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ruling(Verdict.UNDECIDED, TIME_IS_UP)
        return left

    def timeout(self, most_s: float) -> float:
        """Return how many seconds to wait for the candidate: `most_s`, or the time left if less.

        Raises Ruling(TIMEOUT) if the task's time is used up.
        """
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ruling(
                Verdict.TIMEOUT, "It used up all the time that the task has: do less in each call."
            )
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
            self.deadline = deadline + time.monotonic() - started
