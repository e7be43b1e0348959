"""Processes that run code of the candidate stand still while one of ours starts or computes.

Otherwise a candidate could take the CPU from the judge's baseline, oracle or generator until it
runs into its time limit, which is the judge's failure and costs no points. The launcher adds every
worker, and every worker of ours freezes the others by itself (`Worker.send`), so no check has to.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Protocol


class Bystander(Protocol):
    """A process tree that may run code of the candidate."""

    def hold(self) -> bool:
        """Freeze it. Returns False if there is nothing to release: it was still, or is ours."""
        ...

    def release(self) -> None:
        """Thaw it."""
        ...


class Bystanders:
    """All processes of one judging."""

    def __init__(self) -> None:
        self._all: list[Bystander] = []

    def add(self, process: Bystander) -> None:
        """Hold this process, too, from now on."""
        if process not in self._all:
            self._all.append(process)

    def hold(self) -> list[Bystander]:
        """Freeze all that run; return those to `release`."""
        return [process for process in self._all if process.hold()]

    @contextmanager
    def held(self) -> Generator[None]:
        """Freeze all that run inside the `with` block."""
        held = self.hold()
        try:
            yield
        finally:
            release(held)


def release(held: list[Bystander]) -> None:
    """Thaw what `hold` returned, and empty the list."""
    while held:
        held.pop().release()
