"""Runs the programs of a launch one at a time and changes between them.

A program that waits for another one (a lock, a flag, a barrier of the whole grid) never ends if
the programs run one after the other, as in Triton's interpreter. Here each started program has a
stack of its own, and exactly one of them runs at a time. It hands over at an atomic access, or when
it repeats a read in vain. A program whose state is the same at both reads cannot go on before
memory changes; if that holds for all of them, the launch hangs, and `Hang` says who waits where.

The stacks are greenlets: a sandbox allows fewer threads than a launch has programs.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from greenlet import getcurrent, greenlet

RESIDENT = 1024
"""Programs that run at the same time at most; a GPU holds about as many."""

_AHEAD = 16
"""Programs that are started while others can go on."""

_LIKELY = 1 / 2
"""Share of turns in which programs that wait are passed over."""


class Hang(Exception):
    """Every program that has not ended waits for something that no program does.

    program: one of them. reason: where it waits.
    """

    def __init__(self, program: int, reason: object) -> None:
        super().__init__(f"program {program} waits for what no program does: {reason}")
        self.program = program
        self.reason = reason


class _Program:
    """A program with its stack, which runs only between `resume` and `pause`."""

    def __init__(self, number: int, body: Callable[[int], None]) -> None:
        self.number = number
        self.blocked_since = -1
        """Number of changes of memory when it was found to wait; -1: it can go on."""
        self.waits = False
        """Whether it paused at a read in vain, and will probably do so again."""
        self.reason: object = None
        self._stack = greenlet(body, getcurrent())

    @property
    def is_done(self) -> bool:
        """Whether it has ended."""
        return self._stack.dead

    def resume(self) -> None:
        """Let the program run until it pauses or ends. Raises what it raises."""
        self._stack.switch(*([] if self._stack else [self.number]))

    def pause(self) -> None:
        """Called by the program: go back to where it was resumed."""
        assert self._stack.parent is not None
        self._stack.parent.switch()

    def stop(self) -> None:
        """End the program where it paused; nothing, if it has not begun or has ended."""
        if self._stack:
            self._stack.throw()


class Schedule:
    """Runs programs.

    order: chooses who goes on; None: in order of their numbers, and only a program that waits hands
    over. changes: returns how often memory was changed so far.
    """

    def __init__(self, order: np.random.Generator | None, changes: Callable[[], int]) -> None:
        self._order, self._changes = order, changes
        self._current: _Program | None = None

    def may_switch(self) -> None:
        """Perhaps hand over: called before an atomic access."""
        if self._current is not None and self._order is not None and self._order.random() < 0.5:
            self._current.pause()

    def repeats(self, *, same: bool, reason: object) -> None:
        """Hand over: the current program has repeated a read in vain.

        same: nothing in the program has changed since then. reason: what it reads, for `Hang`.
        """
        program = self._current
        if program is None:
            return
        if same:
            program.blocked_since, program.reason = self._changes(), reason
        program.waits = True
        program.pause()
        program.waits, program.blocked_since = False, -1

    def run(self, programs: int, body: Callable[[int], None], enter: Callable[[int], None]) -> None:
        """Call `body(number)` for each program, and `enter(number)` each time before it goes on.

        Raises what a program raises, and Hang.
        """
        numbers = range(programs) if self._order is None else self._order.permutation(programs)
        fresh = [int(number) for number in reversed(numbers)]
        alive: list[_Program] = []
        try:
            while fresh or alive:
                program = self._next(fresh, alive, body)
                enter(program.number)
                self._current = program
                program.resume()
                alive.remove(program)
                if not program.is_done:
                    alive.append(program)
        finally:
            self._current = None
            for program in alive:
                program.stop()

    def _next(
        self, fresh: list[int], alive: list[_Program], body: Callable[[int], None]
    ) -> _Program:
        ready = [program for program in alive if program.blocked_since != self._changes()]
        # Who waits is asked less often: else a barrier of n programs takes n² turns.
        going = [program for program in ready if not program.waits]
        if going and self._is_likely():
            ready = going
        if fresh and len(alive) < RESIDENT and (not ready or self._starts(len(going))):
            alive.append(_Program(fresh.pop(), body))
            return alive[-1]
        if not ready:
            raise Hang(alive[0].number, alive[0].reason)
        return ready[0 if self._order is None else int(self._order.integers(len(ready)))]

    def _starts(self, going: int) -> bool:
        """Return whether to start another program although one may go on."""
        if self._order is None:
            return True
        return self._is_likely() if not going else going < _AHEAD and self._order.random() < 0.5

    def _is_likely(self) -> bool:
        return self._order is not None and self._order.random() < _LIKELY
