"""Time budget for judging one task; waiting for exclusive use of the machine does not count."""

import math
import time
from collections.abc import Callable

from hotloop.core.verdict import Ruling, Verdict

TIME_IS_UP = "The judging's time was used up: judging again decides."


class Budget:
    """A deadline `seconds` from now.

    turn: blocks until no other grading runs on the machine.
    """

    def __init__(self, seconds: float, turn: Callable[[], None] = lambda: None) -> None:
        self.deadline = time.monotonic() + seconds
        self._turn: Callable[[], None] | None = turn

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
        started, deadline = time.monotonic(), self.deadline
        self.deadline = math.inf
        turn()
        self.deadline = deadline + time.monotonic() - started
