"""Waiting for another process or thread."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def until(
    true: Callable[[], object], seconds: float = 60.0, process: subprocess.Popen[Any] | None = None
) -> None:
    """Poll until `true()` holds. process: must not end meanwhile."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that"
        assert process is None or process.poll() is None, "the process ended by itself"
        time.sleep(0.02)


def is_alive(pid: str) -> bool:
    """Return whether a process runs. False also for a zombie."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"
