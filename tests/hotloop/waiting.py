"""Waiting for what another process or thread does."""

import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any


def until(
    true: Callable[[], object], seconds: float = 60.0, process: subprocess.Popen[Any] | None = None
) -> None:
    """Look again and again. process: one that must not end meanwhile."""
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not come to that"
        assert process is None or process.poll() is None, "the process ended by itself"
        time.sleep(0.02)


def is_alive(pid: str) -> bool:
    """False also for a process that has ended and that nobody has asked for its status."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state not in "ZX"
