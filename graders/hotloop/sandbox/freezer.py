"""Freezes a process tree and measures how much CPU time it has used.

There are two ways. A control group freezes every task in it, however the task handles signals.
Without one, SIGSTOP is sent to every process of the tree; a process can undo that from inside (with
a timer that sends SIGCONT), which `usage` reveals. Callers that need a frozen tree compare `usage`
before and after.
"""

import errno
import os
import signal
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Protocol

from hotloop.sandbox import priority, processes
from hotloop.sandbox.processes import Usage

FREEZE_TIMEOUT_S = 2.0
_MOVING = frozenset("RSD")
_UNINTERRUPTIBLE_S = 0.05
"""Seconds after which a task in state D counts as stopped: it may be waiting for a stopped one."""
_NEW_PASSES = 20
_RAN_S = 0.1
"""CPU seconds. A thread with a pending SIGSTOP uses less than this before it stops."""


class FreezeError(RuntimeError):
    """The tree did not freeze within the time limit."""


class Unstoppable(FreezeError):
    """The tree prevents freezing: it starts or wakes processes faster than they are stopped."""


class Freezer(Protocol):
    """Freezes, thaws and measures a process tree."""

    @property
    def frozen(self) -> bool:
        """True from `freeze` to `thaw`."""
        ...

    def freeze(self) -> None:
        """Return when every process is frozen. Raises FreezeError after FREEZE_TIMEOUT_S."""
        ...

    def thaw(self) -> None:
        """Let the tree run again. Has no effect if it is not frozen."""
        ...

    def usage(self) -> Usage:
        """Return the CPU time of the whole tree; exact while it is frozen."""
        ...

    def usage_while_running(self) -> Usage:
        """Return the same without a search for the tree: of what was frozen last, at least.

        A search takes milliseconds, in which a tree that runs could compute unseen. Who is new
        shows when it is frozen again.
        """
        ...

    def set_affinity(self, cpus: set[int]) -> None:
        """Pin all present threads, and those that they start, to these CPUs."""
        ...

    def set_priority(self, nice: int) -> bool:
        """Set the niceness of all present threads. Returns False if this user may not."""
        ...

    def describe(self) -> dict[str, Any]:
        """Return plain JSON from which `freezer_from` makes the same freezer in another process."""
        ...


class CgroupFreezer:
    """Freezes one control group, with cgroup.freeze (version 2) or freezer.state (version 1)."""

    _switch = _state = -1

    def __init__(self, group: Path, version: int) -> None:
        self.group = group
        self.version = version
        switch, state, tasks = (
            ("cgroup.freeze", "cgroup.events", "cgroup.threads")
            if version == 2
            else ("freezer.state", "freezer.state", "tasks")
        )
        self.frozen = False
        self._on, self._off = (b"1", b"0") if version == 2 else (b"FROZEN", b"THAWED")
        self._still = b"frozen 1" if version == 2 else b"FROZEN"
        self._tasks = str(group / tasks)
        self._processes = str(group / "cgroup.procs")
        self._count = str(group / "cpu.stat")
        self._switch = os.open(group / switch, os.O_WRONLY | os.O_CLOEXEC)
        self._state = os.open(group / state, os.O_RDONLY | os.O_CLOEXEC)

    def freeze(self) -> None:
        """Return when the kernel reports that all tasks are frozen, or that the group is gone."""
        try:
            self._freeze()
        except OSError as error:
            if error.errno != errno.ENODEV:
                raise

    def _freeze(self) -> None:
        os.write(self._switch, self._on)
        deadline = time.monotonic() + FREEZE_TIMEOUT_S
        before: Usage | None = None
        # Sleeping would add to the timed window that ends here. Yielding instead leaves the CPU
        # to the tasks, which may need it to reach their frozen state.
        while self._still not in os.pread(self._state, 256, 0):
            if before is None:
                before = self._usage()
            if time.monotonic() > deadline:
                message = f"{self.group} did not freeze in {FREEZE_TIMEOUT_S:g} s"
                # As of a process: who had a CPU and did not stop, stays in a system call.
                ran_ns = self._usage().cpu_ns - before.cpu_ns
                raise (Unstoppable if ran_ns > _RAN_S * 1e9 else FreezeError)(message)
            os.sched_yield()
        self.frozen = True

    def thaw(self) -> None:
        """Let all tasks run again; has no effect if the group is gone."""
        self.frozen = False
        try:
            os.write(self._switch, self._off)
        except OSError:
            return

    def usage(self) -> Usage:
        """Return the usage of the group.

        The kernel reports a task as frozen a few microseconds before it leaves its CPU. This time
        belongs to the run before the freeze, so it is waited for here, where no clock is running,
        and not in `freeze`.
        """
        if self.frozen:
            _await_rest(self._threads())
        return self._usage()

    def usage_while_running(self) -> Usage:
        """Return the usage of the group."""
        return self._usage()

    def set_affinity(self, cpus: set[int]) -> None:
        """Pin all threads in the group."""
        priority.set_affinity(self._threads(), cpus)

    def set_priority(self, nice: int) -> bool:
        """Set the niceness of all threads in the group and of their sessions' scheduling groups."""
        return priority.set_with_sessions(self._threads(), nice)

    def describe(self) -> dict[str, Any]:
        """Return kind, folder and version."""
        return {"kind": "cgroup", "group": str(self.group), "version": self.version}

    def __del__(self) -> None:
        # Not earlier: another thread may still use the descriptors, and their numbers get reused.
        for fd in (self._switch, self._state):
            if fd >= 0:
                os.close(fd)

    def _usage(self) -> Usage:
        """Return the usage as the group counts it; version 1 leaves that to another controller."""
        name, total_us, *_ = *processes.read_small(self._count).split(None, 2), b"", b""
        if name != b"usage_usec":
            return processes.usage(_numbers(self._processes))
        return Usage(processes.times(self._threads()), 1000 * int(total_us))

    def _threads(self) -> list[int]:
        return _numbers(self._tasks)


class SignalFreezer:
    """Stops a tree with SIGSTOP.

    exclude: roots of subtrees that are not stopped. In JupyterLab the judge is a child of the
    kernel that it grades.
    started: start time of `pid` (clock ticks since boot), so that a later process with the same pid
    is never stopped.
    """

    def __init__(
        self, pid: int, exclude: frozenset[int] = frozenset(), started: int | None = None
    ) -> None:
        self.pid = pid
        self.exclude = exclude
        self.started = processes.started(pid) if started is None else started
        self.frozen = False
        self._known: list[int] = []
        self._newest = b""

    def freeze(self) -> None:
        """Stop the known processes, then search for new ones until a search finds none.

        Raises Unstoppable if that never happens.
        """
        self.frozen = True
        if self._known:
            self._stop(self._known)
            if processes.newest() == self._newest:
                return
        for _ in range(_NEW_PASSES):
            newest = processes.newest()
            tree = self._tree()
            fresh = [pid for pid in tree if pid not in self._known]
            self._stop(tree)
            self._known, self._newest = tree, newest
            if not fresh:
                return
        raise Unstoppable(f"process {self.pid} starts processes faster than they can be stopped")

    def thaw(self) -> None:
        """Send SIGCONT to the whole tree."""
        self.frozen = False
        _signal(reversed(self._known or self._tree()), signal.SIGCONT)

    def usage(self) -> Usage:
        """Return the usage of all threads of the tree, which is searched again."""
        return processes.usage(self._tree())

    def usage_while_running(self) -> Usage:
        """Return the usage of the processes that were stopped last."""
        return processes.usage(self._known)

    def set_affinity(self, cpus: set[int]) -> None:
        """Pin all threads of the tree."""
        priority.set_affinity(self._threads(), cpus)

    def set_priority(self, nice: int) -> bool:
        """Set the niceness of the tree's threads. The session may hold other processes."""
        return priority.set_threads(self._threads(), nice)

    def describe(self) -> dict[str, Any]:
        """Return kind, root pid, excluded pids and start time."""
        return {
            "kind": "signal",
            "pid": self.pid,
            "exclude": sorted(self.exclude),
            "started": self.started,
        }

    def _tree(self) -> list[int]:
        if processes.started(self.pid) != self.started:
            return []
        return processes.tree(self.pid, self.exclude)

    def _threads(self) -> list[int]:
        return [task for pid in self._tree() for task in processes.threads(pid)]

    def _stop(self, pids: list[int]) -> None:
        _signal(pids, signal.SIGSTOP)
        sent = time.monotonic()
        for pid in pids:
            _await_stop(pid, sent)


def freezer_from(description: Mapping[str, Any]) -> Freezer:
    """Return the freezer that `describe` described.

    Raises ValueError for an unknown kind, OSError if the group is gone.
    """
    kind = description.get("kind")
    if kind == "cgroup":
        return CgroupFreezer(Path(description["group"]), int(description["version"]))
    if kind == "signal":
        exclude = frozenset(int(pid) for pid in description["exclude"])
        return SignalFreezer(int(description["pid"]), exclude, int(description["started"]))
    raise ValueError(f"{kind!r} is no kind of freezer")


def _await_stop(pid: int, sent: float) -> None:
    """Wait until all threads of a process have stopped; `sent`: when SIGSTOP was sent (monotonic).

    Raises Unstoppable if something undid the signal, FreezeError if threads only failed to get a
    CPU: those are runnable, but have used no CPU time.
    """
    before: Usage | None = None
    while states := _states(pid) & _MOVING:
        waited = time.monotonic() - sent
        if states == {"D"} and waited > _UNINTERRUPTIBLE_S:
            return
        before = before or processes.usage([pid])
        if waited > FREEZE_TIMEOUT_S:
            message = f"process {pid} did not stop in {FREEZE_TIMEOUT_S:g} s"
            ran_ns = processes.usage([pid]).cpu_ns - before.cpu_ns
            raise (Unstoppable if "S" in states or ran_ns > _RAN_S * 1e9 else FreezeError)(message)
        os.sched_yield()


def _numbers(path: str) -> list[int]:
    """Return the numbers in a group's file; none if the group is gone."""
    try:
        with open(path, "rb") as stream:  # noqa: PTH123 - faster
            return [int(line) for line in stream.read().split()]
    except OSError:
        return []


def _await_rest(tasks: list[int]) -> None:
    deadline = time.monotonic() + FREEZE_TIMEOUT_S
    for task in tasks:
        while (status := processes.stat(task)) and status.state == "R":
            if time.monotonic() > deadline:
                return
            os.sched_yield()


def _states(pid: int) -> set[str]:
    """Return the state letters of all threads of a process; empty if it is gone."""
    stats = (processes.stat_of_task(pid, task) for task in processes.threads(pid))
    return {stat.state for stat in stats if stat is not None}


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
