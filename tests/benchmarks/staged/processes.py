"""Resource use of a process's descendants: memory by role, CPU time, and which still run."""

import ctypes
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Self

Role = Literal["coordinator", "grader", "judge", "sandbox", "candidate"]
_TICKS = os.sysconf("SC_CLK_TCK")
_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of <linux/prctl.h>."""


def adopt_orphans() -> None:
    """Become the parent of every descendant whose own parent ends."""
    if ctypes.CDLL(None, use_errno=True).prctl(_SUBREAPER, 1, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "this process cannot adopt orphans")


def below(pid: int) -> list[int]:
    """Return all descendants of `pid`, without zombies."""
    children: dict[int, list[int]] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and (parent := _parent(int(entry.name))) is not None:
            children.setdefault(parent, []).append(int(entry.name))
    found, waiting = list[int](), [pid]
    while waiting:
        new = children.get(waiting.pop(), [])
        found += new
        waiting += new
    return found


def reap(known: set[int]) -> None:
    """Wait for adopted processes that have ended; those in `known` have another waiter."""
    for task in Path("/proc/self/task").iterdir():
        with suppress(OSError):
            for child in (task / "children").read_text().split():
                if int(child) not in known:
                    os.waitpid(int(child), os.WNOHANG)


def command(pid: int) -> str:
    """Return a process's command line; empty if it has ended."""
    with suppress(OSError):
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode().strip()
    return ""


def _parent(pid: int) -> int | None:
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return None if fields[0] in "ZX" else int(fields[1])
    return None


def role(pid: int) -> Role:
    """Return the role of a process below the coordinator."""
    with suppress(OSError):
        if Path(f"/proc/{pid}/ns/pid").readlink() != Path("/proc/self/ns/pid").readlink():
            return "candidate"
    words = command(pid)
    if "hotloop.judge" in words:
        return "judge"
    return "sandbox" if "bwrap" in words or "hotloop.sandbox" in words else "grader"


def proportional_bytes(pid: int) -> int:
    """Return a process's memory in bytes, with shared pages counted in parts (PSS).

    0 if it has ended.
    """
    with suppress(OSError, IndexError, ValueError):
        text = Path(f"/proc/{pid}/smaps_rollup").read_text()
        return int(text.split("\nPss:")[1].split()[0]) << 10
    return 0


def cpu_seconds(pid: int) -> float:
    """Return the CPU seconds of a process without its children. 0 if it has ended."""
    with suppress(OSError, IndexError):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / _TICKS
    return 0.0


@dataclass
class Watch:
    """Samples everything below `pid` while it is entered.

    peak: most bytes at once, by role, and of all but the coordinator under "gradings".
    """

    pid: int
    every_s: float = 0.25
    peak: dict[str, int] = field(default_factory=dict[str, int])
    _cpu: dict[tuple[int, Role], float] = field(default_factory=dict[tuple[int, Role], float])
    _done: threading.Event = field(default_factory=threading.Event)

    def cpu(self) -> dict[str, float]:
        """Return CPU seconds by role.

        Processes that start and end between two samples are missed.
        """
        total: dict[str, float] = {}
        for (_, name), seconds in self._cpu.items():
            total[name] = total.get(name, 0.0) + seconds
        return total

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._done.set()
        self._thread.join()

    def _look(self) -> None:
        while not self._done.wait(self.every_s):
            sums: dict[str, int] = {}
            for pid, name in self._roles():
                sums[name] = sums.get(name, 0) + proportional_bytes(pid)
                # A process that has just ended has 0.
                self._cpu[pid, name] = max(self._cpu.get((pid, name), 0.0), cpu_seconds(pid))
            sums["gradings"] = sum(n for name, n in sums.items() if name != "coordinator")
            for name, size in sums.items():
                self.peak[name] = max(self.peak.get(name, 0), size)

    def _roles(self) -> Iterator[tuple[int, Role]]:
        yield self.pid, "coordinator"
        for pid in below(self.pid):
            yield pid, role(pid)


def still_there(pid: int, within_s: float, besides: Callable[[], set[int]] = set) -> list[str]:
    """Return command lines of descendants of `pid` except `besides`; waits at most `within_s`."""
    deadline = time.monotonic() + within_s
    while True:
        reap(besides())
        left = set(below(pid)) - besides()
        if not left or time.monotonic() >= deadline:
            return [command(one) or f"process {one}" for one in sorted(left)]
        time.sleep(0.1)
