"""Makes a process tree stand still, and says how much CPU time it has used.

Two ways. A control group stops every task in it, whatever the task does about signals. Where there
is none, SIGSTOP goes to every process of the tree; a process can undo that from inside (a timer
that sends SIGCONT), which `usage` shows. Whoever relies on stillness compares `usage` before and
after.
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

__all__ = [
    "CgroupFreezer",
    "FreezeError",
    "Freezer",
    "SignalFreezer",
    "Unstoppable",
    "Usage",
    "freezer_from",
]

FREEZE_TIMEOUT_S = 2.0
_MOVING = frozenset("RSD")
_UNINTERRUPTIBLE_S = 0.05
"""Seconds after which a task deep in the kernel counts as stopped: it may wait for one that is."""
_NEW_PASSES = 20
_RAN_S = 0.1
"""A thread that has its SIGSTOP uses less CPU time than this before it stops."""


class FreezeError(RuntimeError):
    """The tree did not come to rest in time."""


class Unstoppable(FreezeError):
    """The tree itself prevents it: it starts processes, or wakes itself, faster than it stops."""


class Freezer(Protocol):
    """Stops and measures a process tree."""

    def freeze(self) -> None:
        """Return when every process stands still. FreezeError when that takes too long."""
        ...

    def thaw(self) -> None:
        """Let it run on. Harmless when it is not frozen."""
        ...

    def usage(self) -> Usage:
        """CPU time of the whole tree; exact while it is frozen."""
        ...

    def set_affinity(self, cpus: set[int]) -> None:
        """Keep all present threads, and what they start, on these CPUs."""
        ...

    def set_priority(self, nice: int) -> bool:
        """Set the niceness of all present threads; False where this user may not."""
        ...

    def describe(self) -> dict[str, Any]:
        """Plain JSON from which `freezer_from` makes the same freezer in another process."""
        ...


class CgroupFreezer:
    """Freezes one control group. `version` 2 has cgroup.freeze, 1 has freezer.state."""

    _switch = _state = -1

    def __init__(self, group: Path, version: int) -> None:
        self.group = group
        self.version = version
        switch, state, tasks = (
            ("cgroup.freeze", "cgroup.events", "cgroup.threads")
            if version == 2
            else ("freezer.state", "freezer.state", "tasks")
        )
        self._frozen = False
        self._on, self._off = (b"1", b"0") if version == 2 else (b"FROZEN", b"THAWED")
        self._still = b"frozen 1" if version == 2 else b"FROZEN"
        self._tasks = str(group / tasks)
        flags = os.O_CLOEXEC
        self._switch = os.open(group / switch, os.O_WRONLY | flags)
        self._state = os.open(group / state, os.O_RDONLY | flags)

    def freeze(self) -> None:
        """Return when the kernel says that all tasks are frozen, or that the group is gone."""
        try:
            self._freeze()
        except OSError as error:
            if error.errno != errno.ENODEV:
                raise

    def _freeze(self) -> None:
        os.write(self._switch, self._on)
        deadline = time.monotonic() + FREEZE_TIMEOUT_S
        # A sleep would be charged to the window that ends here. Where CPUs are scarce, the tasks
        # need one to come to rest: yielding lets them.
        while self._still not in os.pread(self._state, 256, 0):
            if time.monotonic() > deadline:
                raise FreezeError(f"{self.group} did not freeze in {FREEZE_TIMEOUT_S:g} s")
            os.sched_yield()
        self._frozen = True

    def thaw(self) -> None:
        """Let all tasks run on; a group that is gone needs no thawing."""
        self._frozen = False
        try:
            os.write(self._switch, self._off)
        except OSError:
            return

    def usage(self) -> Usage:
        """Over all threads in the group.

        The kernel calls a task frozen a few microseconds before it has left its CPU. Those belong
        to what came before, and are waited for here rather than on the clock in `freeze`.
        """
        tasks = self._threads()
        if self._frozen:
            _await_rest(tasks)
        return processes.usage(tasks)

    def set_affinity(self, cpus: set[int]) -> None:
        """Of all threads in the group."""
        priority.set_affinity(self._threads(), cpus)

    def set_priority(self, nice: int) -> bool:
        """Of all threads in the group, and of their session's scheduling group."""
        return priority.set_with_sessions(self._threads(), nice)

    def describe(self) -> dict[str, Any]:
        """Kind, folder and version."""
        return {"kind": "cgroup", "group": str(self.group), "version": self.version}

    def __del__(self) -> None:
        # Not sooner: another thread may be about to use them, and numbers are given again.
        for fd in (self._switch, self._state):
            if fd >= 0:
                os.close(fd)

    def _threads(self) -> list[int]:
        try:
            with open(self._tasks, "rb") as stream:  # noqa: PTH123 - faster
                return [int(line) for line in stream.read().split()]
        except OSError:
            return []


class SignalFreezer:
    """Stops a tree with SIGSTOP.

    exclude: roots of branches that are left alone. In JupyterLab the judge is a child of the kernel
    that it judges.
    started: start time of `pid`, so that a later process with its id is never stopped.
    """

    def __init__(
        self, pid: int, exclude: frozenset[int] = frozenset(), started: int | None = None
    ) -> None:
        self.pid = pid
        self.exclude = exclude
        self.started = processes.started(pid) if started is None else started
        self._known: list[int] = []
        self._newest = b""

    def freeze(self) -> None:
        """Stop what is known, then look for more until nothing new turns up."""
        if self._known:
            self._stop(self._known)
            if processes.newest() == self._newest:
                return
        for _ in range(_NEW_PASSES):
            newest = processes.newest()
            found = self._tree()
            fresh = [pid for pid in found if pid not in self._known]
            self._stop(found)
            self._known, self._newest = found, newest
            if not fresh:
                return
        raise Unstoppable(f"process {self.pid} starts processes faster than they can be stopped")

    def thaw(self) -> None:
        """Send SIGCONT to the whole tree."""
        _signal(reversed(self._known or self._tree()), signal.SIGCONT)

    def usage(self) -> Usage:
        """Over all threads of the tree, found anew."""
        return processes.usage(self._threads())

    def set_affinity(self, cpus: set[int]) -> None:
        """Of all threads of the tree."""
        priority.set_affinity(self._threads(), cpus)

    def set_priority(self, nice: int) -> bool:
        """Of all threads of the tree. The session is left alone: others may belong to it."""
        return priority.set_threads(self._threads(), nice)

    def describe(self) -> dict[str, Any]:
        """Kind, root and what is left alone."""
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
    """What `describe` described. ValueError for anything else, OSError when the group is gone."""
    kind = description.get("kind")
    if kind == "cgroup":
        return CgroupFreezer(Path(description["group"]), int(description["version"]))
    if kind == "signal":
        exclude = frozenset(int(pid) for pid in description["exclude"])
        return SignalFreezer(int(description["pid"]), exclude, int(description["started"]))
    raise ValueError(f"{kind!r} is no kind of freezer")


def _await_stop(pid: int, sent: float) -> None:
    """Until all threads of a process have stopped; `sent`: when SIGSTOP was.

    Unstoppable where something has undone the signal. A thread that only waits for a CPU is
    runnable, and has used none.
    """
    before: Usage | None = None
    while states := _states(pid) & _MOVING:
        waited = time.monotonic() - sent
        if states == {"D"} and waited > _UNINTERRUPTIBLE_S:
            return
        before = before or processes.usage(processes.threads(pid))
        if waited > FREEZE_TIMEOUT_S:
            said = f"process {pid} did not stop in {FREEZE_TIMEOUT_S:g} s"
            ran_ns = processes.usage(processes.threads(pid)).cpu_ns - before.cpu_ns
            raise (Unstoppable if "S" in states or ran_ns > _RAN_S * 1e9 else FreezeError)(said)
        os.sched_yield()


def _await_rest(tasks: list[int]) -> None:
    deadline = time.monotonic() + FREEZE_TIMEOUT_S
    for task in tasks:
        while (found := processes.stat(task)) and found.state == "R":
            if time.monotonic() > deadline:
                return
            os.sched_yield()


def _states(pid: int) -> set[str]:
    """State letters of all threads of a process; empty when it is gone."""
    found = (processes.stat_of_task(pid, task) for task in processes.threads(pid))
    return {stat.state for stat in found if stat is not None}


def _signal(pids: Iterable[int], number: int) -> None:
    for pid in pids:
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            continue
