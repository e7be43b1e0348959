"""Reads bubblewrap's messages about its child: its pid, and later its exit code.

The exit code shows who is at fault for a failure. bubblewrap reports it only if the program was
executed; otherwise namespaces, mounts or the filter could not be set up.
"""

import json
import os
import time
from typing import Any

from hotloop.sandbox.watchdog import wait_readable


class StatusPipe:
    """bubblewrap's --json-status-fd: one JSON object per line."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe2(os.O_CLOEXEC)
        self._text = b""

    def child(self, timeout_s: float) -> int:
        """Return the host pid of the first process inside.

        Raises ValueError if bubblewrap ends, or does not report the pid within `timeout_s` seconds.
        """
        deadline = time.monotonic() + timeout_s
        while True:
            if not wait_readable(self._reader, deadline - time.monotonic()):
                raise ValueError(f"bubblewrap was silent for {timeout_s:g} s")
            if not self._read():
                raise ValueError("bubblewrap ended at once")
            pid = self._find("child-pid")
            if pid is not None:
                return pid

    def program_ran(self) -> bool:
        """Return True if the program was executed. Call this after bubblewrap has ended."""
        while self._read():
            pass
        return self._find("exit-code") is not None

    def close_writer(self) -> None:
        """Close this process's copy of the writing end, after bubblewrap has inherited it."""
        if self.writer >= 0:
            os.close(self.writer)
            self.writer = -1

    def close(self) -> None:
        """Close both ends."""
        self.close_writer()
        os.close(self._reader)

    def _read(self) -> bool:
        part = os.read(self._reader, 4096)
        self._text += part
        return bool(part)

    def _find(self, key: str) -> int | None:
        for line in self._text.splitlines(keepends=True):
            if not line.endswith(b"\n"):
                continue
            reported: dict[str, Any] = json.loads(line)
            if key in reported:
                return int(reported[key])
        return None
