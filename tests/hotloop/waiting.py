"""Waiting for what another process or thread does."""

import subprocess
import time
from collections.abc import Callable
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
