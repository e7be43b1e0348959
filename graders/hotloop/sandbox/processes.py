"""Process trees from /proc. Pids are those of this process's namespace."""

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

_PAGE = os.sysconf("SC_PAGE_SIZE")
_TICK_NS = 1_000_000_000 // os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True)
class Stat:
    """Fields of /proc/<pid>/stat: state letter, parent pid, start in clock ticks since boot."""

    state: str
    parent: int
    started: int


class ThreadTime(NamedTuple):
    """A thread's time on a CPU, and its time runnable but waiting for one, in nanoseconds."""

    cpu_ns: int
    wait_ns: int


@dataclass(frozen=True)
class Usage:
    """CPU time of a tree. If it is equal before and after, nothing ran and nothing was started.

    threads: those that exist, by id. cpu_ns: time on a CPU of all that ever were in the tree, so
    that who starts processes or threads which end meanwhile has used their time all the same.
    """

    threads: Mapping[int, ThreadTime]
    cpu_ns: int

    @property
    def tasks(self) -> frozenset[int]:
        """The ids of all threads."""
        return frozenset(self.threads)

    def since(self, before: "Usage") -> Sequence[ThreadTime]:
        """Return the times since then of the threads that exist."""
        then = (before.threads.get(task, ThreadTime(0, 0)) for task in self.threads)
        return [
            ThreadTime(max(0, time.cpu_ns - past.cpu_ns), max(0, time.wait_ns - past.wait_ns))
            for time, past in zip(self.threads.values(), then, strict=True)
        ]

    def waited_ns(self, before: "Usage") -> int:
        """Return how long threads have waited for a CPU since then.

        The kernel forgets the waiting of a thread that ends: none of it counts, instead of less
        than none.
        """
        return sum(time.wait_ns for time in self.since(before))


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


def times(tasks: Iterable[int]) -> dict[int, ThreadTime]:
    """Return the scheduler's times of those threads that exist; exact while they are frozen."""
    fields = {task: read_small(f"/proc/{task}/schedstat").split() for task in tasks}
    return {task: ThreadTime(int(of[0]), int(of[1])) for task, of in fields.items() if len(of) >= 2}


def usage(pids: Iterable[int]) -> Usage:
    """Return the times of these processes, of their threads and children that ended too.

    Those of the ended ones have the precision of a clock tick. Of children only those count that
    their parent has waited for: who does not wait for them hides time that speaks for him.
    """
    found: dict[int, ThreadTime] = {}
    cpu_ns = 0
    for pid in pids:
        present = times(threads(pid))
        ever, children = _ticks(pid)
        cpu_ns += max(sum(time.cpu_ns for time in present.values()), ever * _TICK_NS)
        cpu_ns += children * _TICK_NS
        found |= present
    return Usage(found, cpu_ns)


def _ticks(pid: int) -> tuple[int, int]:
    """Return the CPU time of all threads that a process ever had, and of its ended children."""
    fields = read_small(f"/proc/{pid}/stat").rpartition(b")")[2].split(None, 15)
    if len(fields) < 15:
        return 0, 0
    user, system, childrens_user, childrens_system = map(int, fields[11:15])
    return user + system, childrens_user + childrens_system


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
