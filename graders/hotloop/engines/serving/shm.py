"""Shared memory of servers that run without a sandbox.

A sandboxed server has its own /dev/shm, which is removed with it. Another server's regions are in
this machine's, with a prefix that names the owning process (`hotloop.sandbox.owner`): the owner can
remove what a killed server left, and any process what a killed owner left.
"""

import os
import signal
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from hotloop.sandbox import processes
from hotloop.sandbox.owner import is_stale

FOLDER = Path("/dev/shm")
_END = "_shm_"


def prefix(tag: str) -> str:
    """Return the Python backend's shm-region-prefix-name, to which it appends a unique id."""
    return f"{tag}{_END}"


def remove(tag: str) -> int:
    """Remove the regions of one server; return their number."""
    return _remove(lambda found: found == tag)


def sweep() -> int:
    """Kill processes and remove regions whose owner is gone; return the number of regions."""
    for pid in _stale_processes():
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return _remove(is_stale)


def regions() -> list[str]:
    """Return the regions of all Hotloop servers by name."""
    return sorted(path.name for path in FOLDER.iterdir() if _tag(path.name))


def _remove(belongs: Callable[[str], bool]) -> int:
    count = 0
    for path in FOLDER.iterdir():
        tag = _tag(path.name)
        if tag and belongs(tag):
            with suppress(OSError):  # another user's, or already removed
                path.unlink()
                count += 1
    return count


def _stale_processes() -> list[int]:
    """Return ids of servers and stubs without an owner: their command line has its prefix."""
    pids: list[int] = []
    for path in Path("/proc").iterdir():
        if not path.name.isdecimal() or int(path.name) == os.getpid():
            continue
        words = processes.read_small(f"/proc/{path.name}/cmdline").decode(errors="replace")
        # A server has it inside an option, a stub as a separate word.
        tags = (_tag(word.rpartition("=")[2]) for word in words.split("\0"))
        if any(tag and is_stale(tag) for tag in tags):
            pids.append(int(path.name))
    return pids


def _tag(name: str) -> str:
    return name.partition(_END)[0] if name.startswith("hotloop-") and _END in name else ""
