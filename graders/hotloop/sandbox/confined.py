"""The common parts of every confined process, however it is started.

These are its own user id, a copy of its files, control groups, limits and a watchdog.
"""

import math
import os
import resource
import signal
from abc import abstractmethod
from contextlib import ExitStack, suppress
from functools import cache
from pathlib import Path

from hotloop.sandbox import cgroup, staging
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.freezer import Freezer, SignalFreezer
from hotloop.sandbox.owner import remove_stale
from hotloop.sandbox.process import Confined, Ending
from hotloop.sandbox.uids import UidLease, lease_uid
from hotloop.sandbox.watchdog import OutputBuffer, ProcessLimits, Watchdog, wait_readable


class RestrainedProcess(Confined):
    """A process tree in its own namespaces. `pid` is the first process in them."""

    level = "bubblewrap"

    def __init__(self, confinement: Confinement) -> None:
        super().__init__()
        self._confinement = confinement
        self._lease: UidLease | None = None
        self._staged: Path | None = None
        self._groups: cgroup.Groups | None = None
        self._freezer: Freezer | None = None
        self._first = -1

    @property
    def user(self) -> int | None:
        """The spare user id that it runs as if root launched, else None."""
        return self._lease.uid if self._lease is not None else None

    @property
    def freezer(self) -> Freezer:
        """A CgroupFreezer if there is a control group, else a SignalFreezer."""
        assert self._freezer is not None
        return self._freezer

    @abstractmethod
    def _execute(self, writer: int, buffer: OutputBuffer) -> Ending:
        """Start the program with `writer` as its output, and apply limits before foreign code runs.

        Sets `pid` and `_first`, its pidfd. `buffer` reads the other end of `writer`.
        """

    @abstractmethod
    def _collect(self) -> None:
        """Determine exit status and `fault`, after every process of the tree has ended."""

    def _start(self) -> tuple[Ending, Watchdog, OutputBuffer]:
        confinement = self._confinement
        if os.geteuid() == 0:
            self._lease = lease_uid()
        if confinement.files is not None:
            limit = min(confinement.files_bytes, confinement.tmp_bytes)
            self._staged = staging.stage(confinement.files, limit)
        self._groups = cgroup.make_groups()
        if self._groups is not None:
            self._groups.limit(confinement.memory_bytes, confinement.processes)
        output, writer = os.pipe2(os.O_CLOEXEC)
        buffer = OutputBuffer(output, confinement.output_bytes)
        with ExitStack() as failed, ExitStack() as stack:
            failed.callback(os.close, output)
            stack.callback(os.close, writer)
            ending = self._execute(writer, buffer)
            failed.pop_all()
        return ending, self._make_watchdog(buffer), buffer

    def _restrain(self) -> None:
        """Apply control groups and limits, before the program is executed."""
        if self._groups is not None:
            self._groups.add(self.pid)
            self._freezer = self._groups.freezer()
        if self._freezer is None:
            self._freezer = SignalFreezer(self.pid)
        count = self._confinement.processes
        resource.prlimit(self.pid, resource.RLIMIT_NPROC, (count, count))
        resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(self.pid, resource.RLIMIT_MSGQUEUE, (0, 0))

    def _make_watchdog(self, buffer: OutputBuffer) -> Watchdog:
        groups = self._groups
        oom, priority = groups.oom_fd() if groups is not None else (-1, False)
        polled = None if oom >= 0 else self._confinement.memory_bytes
        return Watchdog(
            ProcessLimits(self._confinement.wall_s, self._confinement.output_bytes, polled),
            buffer,
            ended=self._first,
            wake=self._wake,
            root=self.pid,
            oom=oom,
            oom_priority=priority,
        )

    def _end(self) -> None:
        """Kill the first process of the namespace, which kills all others, and wait for it.

        The kernel lets the first process end only after all others have ended.
        """
        self._killed = not wait_readable(self._first, 0)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        self.freezer.thaw()
        wait_readable(self._first, math.inf)
        self._collect()

    def _clean(self) -> None:
        # After a failed start the first process is still waiting.
        if self._first >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        self._clean_start()
        if self._first >= 0:
            os.close(self._first)
        if self._groups is not None:
            self._groups.remove()
        if self._staged is not None:
            staging.unstage(self._staged)
        if self._lease is not None:
            self._lease.release()

    @abstractmethod
    def _clean_start(self) -> None:
        """Release what starting took; the first process has already been sent SIGKILL."""

    def _out_of_memory(self) -> bool:
        return self._groups is not None and self._groups.out_of_memory()


@cache
def sweep() -> None:
    """Remove what killed launchers left on the machine, once per process."""
    cgroup.sweep()
    remove_stale(staging.STAGED)
