"""Process trees from /proc. Pids are those of this process's namespace."""

import os
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Stat:
    """Fields of /proc/<pid>/stat: state letter, parent pid, start in clock ticks since boot."""

    state: str
    parent: int
    started: int


@dataclass(frozen=True)
class Usage:
    """CPU time of a tree. If it is equal before and after, nothing ran and nothing was started.

    tasks: thread ids. cpu_ns: time on a CPU; wait_ns: time runnable, waiting for a CPU.
    """

    tasks: frozenset[int]
    cpu_ns: int
    wait_ns: int


def has_filter(pid: int) -> bool:
    """Return True once the process has installed a seccomp filter."""
    return b"\nSeccomp:\t2\n" in read_small(f"/proc/{pid}/status")


def read_small(path: str) -> bytes:
    """Return the first 4096 bytes of a file in /proc; empty if the file or its process is gone."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return b""
    try:
        return os.read(fd, 4096)
    except OSError:
        return b""
    finally:
        os.close(fd)


def stat(pid: int) -> Stat | None:
    """Return a process's stat, or None if it is gone."""
    return _parse_stat(read_small(f"/proc/{pid}/stat"))


def stat_of_task(pid: int, task: int) -> Stat | None:
    """Like `stat`, for one thread."""
    return _parse_stat(read_small(f"/proc/{pid}/task/{task}/stat"))


def _parse_stat(text: bytes) -> Stat | None:
    # The command's name may contain spaces and parentheses; the later fields do not.
    _, _, rest = text.rpartition(b")")
    fields = rest.split(None, 20)
    if len(fields) < 20:
        return None
    return Stat(fields[0].decode(), int(fields[1]), int(fields[19]))


def started(pid: int) -> int:
    """Return the start time in clock ticks since boot, 0 if gone; it identifies a reused pid."""
    status = stat(pid)
    return status.started if status else 0


def tree(root: int, exclude: frozenset[int] = frozenset()) -> list[int]:
    """Return `root` and its descendants, parents first, without the subtrees in `exclude`."""
    children: dict[int, list[int]] = {}
    for pid in (int(name) for name in os.listdir("/proc") if name.isdecimal()):  # noqa: PTH208 - faster
        status = stat(pid)
        if status is not None:
            children.setdefault(status.parent, []).append(pid)
    if root in exclude or not Path(f"/proc/{root}").exists():
        return []
    order = [root]
    for pid in order:
        order.extend(child for child in children.get(pid, ()) if child not in exclude)
    return order


def newest() -> bytes:
    """Return the number of tasks and the last pid; changes whenever a process or thread starts."""
    fields = read_small("/proc/loadavg").split()
    return fields[3].partition(b"/")[2] + b" " + fields[4] if len(fields) > 4 else b""


def threads(pid: int) -> list[int]:
    """Return the thread ids of a process; empty if it is gone."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - faster
    except OSError:
        return []


def usage(tasks: Iterable[int]) -> Usage:
    """Return the scheduler's CPU times of these threads; exact while they are frozen."""
    alive: set[int] = set()
    cpu = wait = 0
    for task in tasks:
        fields = read_small(f"/proc/{task}/schedstat").split()
        if len(fields) < 2:
            continue
        alive.add(task)
        cpu += int(fields[0])
        wait += int(fields[1])
    return Usage(frozenset(alive), cpu, wait)


def resident_bytes(pid: int) -> int:
    """Return resident memory, shared pages included; 0 if the process is gone."""
    fields = read_small(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if len(fields) > 1 else 0


def proportional_bytes(pid: int) -> int:
    """Return resident memory with shared pages split among their users (PSS).

    Slower than `resident_bytes`, which is returned if the kernel does not report PSS.
    """
    for line in read_small(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return resident_bytes(pid)
