"""Enforces a running process's limits on wall time, output and memory.

There is one thread per sandbox. It sleeps until there is output, the process ends, the wall limit
is reached or the kernel reports that memory ran out. Only if no control group limits memory does it
wake every 30 ms to add up the tree's resident memory. The thread also starts the process, because
"die with the parent" refers to the thread that forked.
"""

import contextlib
import math
import os
import select
import time
from collections.abc import Callable
from dataclasses import dataclass

from hotloop.core.verdict import Verdict
from hotloop.sandbox import processes

TICK_S = 0.03
_FULL_SCAN_TICKS = 30
_CHUNK = 1 << 16


@dataclass(frozen=True)
class ProcessLimits:
    """Limits of one process; memory_bytes is None if a control group enforces it."""

    wall_s: float
    output_bytes: int
    memory_bytes: int | None


def wait_readable(fd: int, seconds: float) -> bool:
    """Return False if `fd` was not readable in time. Unlike select, accepts any descriptor."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(None if seconds == math.inf else max(0.0, seconds * 1000)))


class OutputBuffer:
    """Keeps the first `limit` bytes that arrive through a pipe. `over`: the limit was reached."""

    def __init__(self, fd: int, limit: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self._limit = limit
        self._kept = bytearray()
        self.over = False

    def read(self) -> bool:
        """Read what is available. Returns False at the end of the stream."""
        try:
            chunk = os.read(self.fd, _CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            return False
        self._kept += chunk[: self._limit - len(self._kept)]
        self.over |= len(chunk) > 0 and len(self._kept) >= self._limit
        return bool(chunk)

    def drain(self) -> None:
        """Read what is left and close the pipe."""
        while not self.over and self.read():
            if not wait_readable(self.fd, 0):
                break
        os.close(self.fd)

    def text(self) -> str:
        """Return the kept bytes as stripped text, for a message."""
        return self._kept.decode(errors="replace").strip()

    def bytes(self) -> bytes:
        """Return the kept bytes."""
        return bytes(self._kept)


class MemoryWatch:
    """Adds up the resident memory of a tree with few reads of /proc."""

    def __init__(self, root: int, limit: int) -> None:
        self._root = root
        self._limit = limit
        self._pids: list[int] = []
        self._newest = b""
        self._ticks = 0

    def over(self) -> bool:
        """Return True if the tree uses more bytes than the limit.

        Shared pages count once, but that slower sum is computed only if the quick one is over the
        limit.
        """
        self._find()
        if sum(map(processes.resident_bytes, self._pids)) <= self._limit:
            return False
        return sum(map(processes.proportional_bytes, self._pids)) > self._limit

    def _find(self) -> None:
        newest = processes.newest()
        self._ticks += 1
        if newest == self._newest and self._ticks % _FULL_SCAN_TICKS:
            return
        self._newest = newest
        self._pids = processes.tree(self._root)


class Watchdog:
    """The watching loop. `run` returns when the process has ended or must be ended.

    death: the limit that was exceeded, else None.
    """

    def __init__(
        self,
        limits: ProcessLimits,
        output: OutputBuffer,
        *,
        ended: int,
        wake: int,
        root: int,
        oom: int = -1,
        oom_priority: bool = False,
    ) -> None:
        """Set up the polling.

        ended: pidfd of the process. wake: becomes readable if the owner wants it killed. root: the
        tree's pid. oom, oom_priority: see `Groups.oom_fd`.
        """
        self.death: Verdict | None = None
        self._output = output
        limit = limits.memory_bytes
        self._memory = MemoryWatch(root, limit) if limit is not None else None
        self._deadline = time.monotonic() + limits.wall_s
        self._poll = select.poll()
        self._stop = {ended, wake}
        self._oom = oom
        self._oom_is_certain = not oom_priority
        for fd in (ended, wake, output.fd):
            self._poll.register(fd, select.POLLIN)
        if oom >= 0:
            self._poll.register(oom, select.POLLPRI if oom_priority else select.POLLIN)

    def run(self, out_of_memory: Callable[[], bool]) -> None:
        """Watch the process. `out_of_memory` confirms an `oom` event that can have other causes."""
        while True:
            ready = {fd for fd, _ in self._poll.poll(self._sleep_ms())}
            self.death = self._verdict(ready, out_of_memory)
            if self.death is not None or ready & self._stop:
                return

    def _verdict(self, ready: set[int], out_of_memory: Callable[[], bool]) -> Verdict | None:
        if self._output.fd in ready and not self._output.read():
            self._poll.unregister(self._output.fd)
        if self._output.over:
            return Verdict.OUTPUT_LIMIT
        if self._oom in ready:
            with contextlib.suppress(OSError):
                os.read(self._oom, 8)
            if self._oom_is_certain or out_of_memory():
                return Verdict.MEMORY_LIMIT
        if self._memory is not None and self._memory.over():
            return Verdict.MEMORY_LIMIT
        if time.monotonic() >= self._deadline:
            return Verdict.TIMEOUT
        return None

    def _sleep_ms(self) -> float | None:
        left = self._deadline - time.monotonic()
        if self._memory is not None:
            left = min(left, TICK_S)
        return None if left == math.inf else max(0.0, left * 1000)
