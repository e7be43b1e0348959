"""Base class of a process that is watched and whose whole tree can be ended.

`launch` and `launch_plain` return one.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import threading
import weakref
from abc import ABC, abstractmethod
from typing import Protocol

from hotloop.core.verdict import Verdict
from hotloop.sandbox.freezer import Freezer
from hotloop.sandbox.watchdog import OutputBuffer, Watchdog

KILL_TIMEOUT_S = 10.0
_living: weakref.WeakSet[Confined] = weakref.WeakSet()


class Ending(Protocol):
    """Provides the exit status of a process that has ended."""

    def wait(self) -> int:
        """Return the exit status, or the negative number of a signal."""
        ...


class Confined(ABC):
    """A running process tree, which its owner can use from any thread.

    It starts in a thread of its own, which then watches it and cleans up after it. A subclass
    defines how to start the tree, how to end it and how to clean up.

    pid: of the process at the root of the tree, as the host sees it. level: the isolation,
    "bubblewrap" or "none". death: memory_limit, output_limit or timeout if a limit ended the
    process, else None. fault: why the program was never executed (a fault of the platform), else
    None.
    """

    level: str

    def __init__(self) -> None:
        self.pid = 0
        self.death: Verdict | None = None
        self.fault: str | None = None
        self._killed = False
        self._status: int | None = None
        self._failure: BaseException | None = None
        self._wake = os.eventfd(0, os.EFD_CLOEXEC | os.EFD_NONBLOCK)
        self._closing = threading.Lock()
        self._started = threading.Event()
        self._over = threading.Event()
        self._watchdog: Watchdog | None = None
        self._output: OutputBuffer | None = None
        self._thread = threading.Thread(target=self._live, name="hotloop-sandbox", daemon=True)

    @property
    @abstractmethod
    def freezer(self) -> Freezer:
        """The freezer of the whole tree."""

    @abstractmethod
    def _start(self) -> tuple[Ending, Watchdog, OutputBuffer]:
        """Start the process and set `pid`. All limits must apply before any foreign code runs."""

    @abstractmethod
    def _end(self) -> None:
        """End the tree and wait until none of its processes runs."""

    @abstractmethod
    def _clean(self) -> None:
        """Release the process's resources on this machine; also called after a failed start."""

    @abstractmethod
    def _out_of_memory(self) -> bool:
        """Return True if the kernel reports that the tree reached its memory limit."""

    def begin(self) -> None:
        """Start the process. Raises what `_start` raised, after cleaning up."""
        self._thread.start()
        self._started.wait()
        if self._failure is not None:
            self._thread.join()
            raise self._failure
        _living.add(self)

    def poll(self) -> int | None:
        """Return the exit status once the tree is gone and cleaned up, else None. Never waits."""
        return self._status if self._over.is_set() else None

    def wait(self, timeout_s: float | None = None) -> int | None:
        """Like `poll`, but wait for at most `timeout_s` seconds (None: without limit)."""
        self._over.wait(timeout_s)
        return self.poll()

    def kill(self) -> None:
        """End the whole tree and return when nothing is left. May be called twice.

        Raises RuntimeError on a timeout.
        """
        with self._closing:
            if self._wake >= 0:
                os.eventfd_write(self._wake, 1)
        if not self._over.wait(KILL_TIMEOUT_S):
            raise RuntimeError(f"process {self.pid} and its tree did not end")

    def output(self) -> bytes:
        """Return the output so far, both streams interleaved, at most `output_bytes`."""
        return self._output.bytes() if self._output is not None else b""

    def _live(self) -> None:
        try:
            process, self._watchdog, self._output = self._start()
        except BaseException as error:  # noqa: BLE001 - it is raised again in `begin`
            self._failure = error
            self._tidy()
            self._started.set()
            return
        self._started.set()
        try:
            self._watchdog.run(self._out_of_memory)
        finally:
            self.death = self._watchdog.death  # known at once: ending a tree of 4 GiB takes seconds
            self._end()
            self._output.drain()
            self.death = self.death or self._late_death()
            self._status = process.wait()
            self._tidy()

    def _late_death(self) -> Verdict | None:
        """Return the limit that was reached, if the process ended before the watchdog noticed."""
        if self._out_of_memory():
            return Verdict.MEMORY_LIMIT
        return Verdict.OUTPUT_LIMIT if self._output and self._output.over else None

    def _tidy(self) -> None:
        try:
            self._clean()
        finally:
            with self._closing:
                os.close(self._wake)
                self._wake = -1
            _living.discard(self)
            self._over.set()


@atexit.register
def _end_all() -> None:
    for process in list(_living):
        with contextlib.suppress(RuntimeError):
            process.kill()
