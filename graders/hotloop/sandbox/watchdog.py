"""Holds a running process to its limits of wall time, output and memory.

One thread a sandbox. It sleeps in the kernel until something happens: output, the process's end,
the wall limit, the kernel's word that memory ran out. Only where no control group caps memory does
it wake by itself, every 30 ms, to add up the tree's resident memory. The thread also starts the
process, because "die with the parent" means the thread that forked.
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
class Limits:
    """memory_bytes is None where a control group caps it."""

    wall_s: float
    output_bytes: int
    memory_bytes: int | None


def wait_readable(fd: int, seconds: float) -> bool:
    """False when nothing came in time. Unlike select, it takes any descriptor."""
    poll = select.poll()
    poll.register(fd, select.POLLIN)
    return bool(poll.poll(None if seconds == math.inf else max(0.0, seconds * 1000)))


class OutputBuffer:
    """Keeps the first bytes that come through a pipe."""

    def __init__(self, fd: int, limit: int) -> None:
        os.set_blocking(fd, False)
        self.fd = fd
        self._limit = limit
        self._kept = bytearray()
        self.over = False

    def read(self) -> bool:
        """Take what is there; False at the end of the stream."""
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
        """Take all that is left and close the pipe."""
        while not self.over and self.read():
            if not wait_readable(self.fd, 0):
                break
        os.close(self.fd)

    def text(self) -> str:
        """What was kept, for a message."""
        return self._kept.decode(errors="replace").strip()

    def bytes(self) -> bytes:
        """What was kept."""
        return bytes(self._kept)


class MemoryWatch:
    """Adds up the resident memory of a tree, with few reads of /proc."""

    def __init__(self, root: int) -> None:
        self._root = root
        self._pids: list[int] = []
        self._newest = b""
        self._ticks = 0

    def over(self, limit: int) -> bool:
        """True when the tree holds more. Shared pages count once, but are only looked at then."""
        self._find()
        if sum(map(processes.resident_bytes, self._pids)) <= limit:
            return False
        return sum(map(processes.proportional_bytes, self._pids)) > limit

    def _find(self) -> None:
        newest = processes.newest()
        self._ticks += 1
        if newest == self._newest and self._ticks % _FULL_SCAN_TICKS:
            return
        self._newest = newest
        self._pids = processes.tree(self._root)


class Watchdog:
    """The loop. `run` returns when the process has ended, or has to be ended; `death` says why."""

    def __init__(
        self,
        limits: Limits,
        output: OutputBuffer,
        *,
        ended: int,
        wake: int,
        root: int,
        oom: int = -1,
        oom_priority: bool = False,
    ) -> None:
        """`ended`: pidfd of the process. `wake`: becomes readable when its owner wants it killed.
        `oom`: see `Groups.oom_fd`."""
        self.death: Verdict | None = None
        self._limits = limits
        self._output = output
        self._memory = MemoryWatch(root) if limits.memory_bytes is not None else None
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
        """Watch. `out_of_memory` confirms what `oom` announced, where that says more than this."""
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
        if self._over_memory():
            return Verdict.MEMORY_LIMIT
        if time.monotonic() >= self._deadline:
            return Verdict.TIMEOUT
        return None

    def _over_memory(self) -> bool:
        limit = self._limits.memory_bytes
        if self._memory is None or limit is None:
            return False
        return self._memory.over(limit)

    def _sleep_ms(self) -> float | None:
        left = self._deadline - time.monotonic()
        if self._memory is not None:
            left = min(left, TICK_S)
        return None if left == math.inf else max(0.0, left * 1000)
