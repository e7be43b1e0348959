"""Shared memory of servers that run without a sandbox.

A confined server has a /dev/shm of its own, which ends with it. Another one's regions lie on this
machine's, under a prefix that names the process that owns the server (`hotloop.sandbox.owner`): so
the owner can remove what a killed server has left, and anybody what a killed owner has left.
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
    """For the Python backend's shm-region-prefix-name; the backend puts a unique id behind it."""
    return f"{tag}{_END}"


def remove(tag: str) -> int:
    """Remove the regions of one server. How many there were."""
    return _remove(lambda found: found == tag)


def sweep() -> int:
    """End the processes and remove the regions of owners that are gone. How many regions."""
    for pid in _processes_of(is_stale):
        with suppress(ProcessLookupError, PermissionError):
            os.kill(pid, signal.SIGKILL)
    return _remove(is_stale)


def regions() -> list[str]:
    """Those of all of Hotloop's servers, by name."""
    return sorted(path.name for path in FOLDER.iterdir() if _tag(path.name))


def _remove(belongs: Callable[[str], bool]) -> int:
    count = 0
    for path in FOLDER.iterdir():
        tag = _tag(path.name)
        if tag and belongs(tag):
            with suppress(OSError):  # another user's, or gone
                path.unlink()
                count += 1
    return count


def _processes_of(belongs: Callable[[str], bool]) -> list[int]:
    """Servers and their stubs: both carry the prefix on their command line."""
    found: list[int] = []
    for path in Path("/proc").iterdir():
        if not path.name.isdecimal() or int(path.name) == os.getpid():
            continue
        words = processes.read_small(f"/proc/{path.name}/cmdline").decode(errors="replace")
        # Of the server it is in the middle of an option, of a stub a word of its own.
        tags = (_tag(word.rpartition("=")[2]) for word in words.split("\0"))
        if any(tag and belongs(tag) for tag in tags):
            found.append(int(path.name))
    return found


def _tag(name: str) -> str:
    return name.partition(_END)[0] if name.startswith("hotloop-") and _END in name else ""
