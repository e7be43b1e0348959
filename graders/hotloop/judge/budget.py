"""The time that judging one task may take: the candidate's, but not the wait for the machine."""

import math
import time
from collections.abc import Callable

from hotloop.core.verdict import Ruling, Verdict

TIME_IS_UP = "The judging's time was used up: judging again decides."


class Budget:
    """Seconds from now on.

    turn: returns when the machine is free of other gradings.
    """

    def __init__(self, seconds: float, turn: Callable[[], None] = lambda: None) -> None:
        self.deadline = time.monotonic() + seconds
        self._turn: Callable[[], None] | None = turn

    def remaining_s(self) -> float:
        """Seconds that are left for measuring. Ruling UNDECIDED when there are none."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ruling(Verdict.UNDECIDED, TIME_IS_UP)
        return left

    def timeout(self, most_s: float) -> float:
        """How long to wait for the candidate. Ruling TIMEOUT when it has used up all its time."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise Ruling(
                Verdict.TIMEOUT, "It used up all the time that the task has: do less in each call."
            )
        return min(most_s, left)

    def wait_for_turn(self) -> None:
        """Wait until no other grading is at work, once. The wait moves the deadline."""
        turn, self._turn = self._turn, None
        if turn is None:
            return
        started, deadline = time.monotonic(), self.deadline
        self.deadline = math.inf
        turn()
        self.deadline = deadline + time.monotonic() - started
