"""Process trees as Linux shows them in /proc. Ids are those of this process's namespace."""

import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass(frozen=True)
class Stat:
    """Of /proc/<pid>/stat: state letter, parent, start time in clock ticks since boot."""

    state: str
    parent: int
    started: int


@dataclass(frozen=True)
class Usage:
    """CPU time of a tree. Equal before and after means that nothing ran and nothing was started.

    tasks: thread ids. cpu_ns: time on a CPU; wait_ns: time ready to run, waiting for a CPU.
    """

    tasks: frozenset[int]
    cpu_ns: int
    wait_ns: int


def has_filter(pid: int) -> bool:
    """True once the process has taken on a seccomp filter."""
    return b"\nSeccomp:\t2\n" in read_small(f"/proc/{pid}/status")


def read_small(path: str) -> bytes:
    """The first page of a file in /proc; empty when it or its process is gone."""
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
    """None when the process is gone."""
    return _parse_stat(read_small(f"/proc/{pid}/stat"))


def stat_of_task(pid: int, task: int) -> Stat | None:
    """As `stat`, for one thread."""
    return _parse_stat(read_small(f"/proc/{pid}/task/{task}/stat"))


def _parse_stat(text: bytes) -> Stat | None:
    # The command may hold spaces and parentheses; what follows it may not.
    _, _, rest = text.rpartition(b")")
    fields = rest.split(None, 20)
    if len(fields) < 20:
        return None
    return Stat(fields[0].decode(), int(fields[1]), int(fields[19]))


def started(pid: int) -> int:
    """Start time in clock ticks since boot, which tells a process from a later one; 0 if gone."""
    found = stat(pid)
    return found.started if found else 0


def tree(root: int, exclude: frozenset[int] = frozenset()) -> list[int]:
    """`root` and all that descend from it, parents first; branches in `exclude` are left out."""
    children: dict[int, list[int]] = {}
    for pid in _all_pids():
        found = stat(pid)
        if found is not None:
            children.setdefault(found.parent, []).append(pid)
    if root in exclude or not Path(f"/proc/{root}").exists():
        return []
    order = [root]
    for pid in order:
        order.extend(child for child in children.get(pid, ()) if child not in exclude)
    return order


def newest() -> bytes:
    """Changes whenever any process or thread is started: number of tasks and last id given."""
    fields = read_small("/proc/loadavg").split()
    return fields[3].partition(b"/")[2] + b" " + fields[4] if len(fields) > 4 else b""


def threads(pid: int) -> list[int]:
    """Thread ids of a process; empty when it is gone."""
    try:
        return [int(name) for name in os.listdir(f"/proc/{pid}/task")]  # noqa: PTH208 - faster
    except OSError:
        return []


def usage(tasks: Iterable[int]) -> Usage:
    """Scheduler's account of the given threads, to the nanosecond while they stand still."""
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
    """Resident memory, shared pages included; 0 when the process is gone."""
    fields = read_small(f"/proc/{pid}/statm").split()
    return int(fields[1]) * _PAGE if len(fields) > 1 else 0


def proportional_bytes(pid: int) -> int:
    """Resident memory with shared pages split among their users; slower than `resident_bytes`."""
    for line in read_small(f"/proc/{pid}/smaps_rollup").splitlines():
        if line.startswith(b"Pss:"):
            return int(line.split()[1]) * 1024
    return resident_bytes(pid)


def _all_pids() -> Iterator[int]:
    for name in os.listdir("/proc"):  # noqa: PTH208 - faster
        if name.isdecimal():
            yield int(name)
