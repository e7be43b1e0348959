"""What bubblewrap tells about its child: its id, and later that it has ended.

The second word tells apart whose fault an end is. bubblewrap gives it only when the program was
executed; without it, namespaces, mounts or filter could not be set up.
"""

import json
import os
import time
from typing import Any

from hotloop.sandbox.watchdog import wait_readable


class StatusPipe:
    """bubblewrap's --json-status-fd: one JSON object a line."""

    def __init__(self) -> None:
        self._reader, self.writer = os.pipe2(os.O_CLOEXEC)
        self._text = b""

    def child(self, timeout_s: float) -> int:
        """The host id of the first process inside. ValueError when bubblewrap does not tell it."""
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
        """True when the program was executed; to be asked once bubblewrap has ended."""
        while self._read():
            pass
        return self._find("exit-code") is not None

    def close_writer(self) -> None:
        """Once bubblewrap has its own."""
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
            told: dict[str, Any] = json.loads(line)
            if key in told:
                return int(told[key])
        return None
