"""Starts a process behind bubblewrap.

The order matters. bubblewrap makes namespaces and mounts, tells the id of its first child and
waits; that child is moved into its control group and gets its limits; only then is the program
executed.
"""

from __future__ import annotations

import math
import os
import resource
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from functools import cache
from pathlib import Path
from subprocess import Popen

from hotloop.sandbox import bubblewrap, cgroup, processes, seccomp, staging
from hotloop.sandbox.confinement import Confined, Confinement, SandboxUnavailable
from hotloop.sandbox.freezer import Freezer, SignalFreezer
from hotloop.sandbox.process import WatchedProcess
from hotloop.sandbox.requirements import diagnose, missing
from hotloop.sandbox.status import StatusPipe
from hotloop.sandbox.uids import UidLease, lease_uid
from hotloop.sandbox.watchdog import Limits, OutputBuffer, Watchdog, wait_readable

START_TIMEOUT_S = 20.0
MAX_STAGED_BYTES = 64 << 20
_STEP_S = 0.0003


def launch(confinement: Confinement) -> Confined:
    """Start it confined. SandboxUnavailable when this machine cannot; SubmissionRefused when its
    files are over the limits."""
    reason = missing()
    if reason:
        raise SandboxUnavailable(reason)
    _sweep()
    process = BubblewrapProcess(confinement)
    process.begin()
    return process


class BubblewrapProcess(WatchedProcess):
    """A process tree in namespaces of its own. `pid` is the first process in them."""

    level = "bubblewrap"

    def __init__(self, confinement: Confinement) -> None:
        super().__init__()
        self._confinement = confinement
        self._lease: UidLease | None = None
        self._staged: Path | None = None
        self._groups: cgroup.Groups | None = None
        self._freezer: Freezer | None = None
        self._outer: Popen[bytes] | None = None
        self._status_pipe: StatusPipe | None = None
        self._first = -1

    @property
    def freezer(self) -> Freezer:
        """By control group where there is one, else by signals."""
        assert self._freezer is not None
        return self._freezer

    def _start(self) -> tuple[Popen[bytes], Watchdog, OutputBuffer]:
        confinement = self._confinement
        if os.geteuid() == 0:
            self._lease = lease_uid()
        if confinement.files is not None:
            limit = min(MAX_STAGED_BYTES, confinement.tmp_bytes)
            self._staged = staging.stage(confinement.files, limit)
        self._groups = cgroup.make_groups()
        if self._groups is not None:
            self._groups.limit(confinement.memory_bytes, confinement.processes)
        output, writer = os.pipe2(os.O_CLOEXEC)
        buffer = OutputBuffer(output, confinement.output_bytes)
        with ExitStack() as failed, ExitStack() as stack:
            failed.callback(os.close, output)
            stack.callback(os.close, writer)
            release = self._spawn(stack, writer, buffer)
            try:
                self._restrain()
                self._let_go(release)
            except ProcessLookupError:
                raise SandboxUnavailable(diagnose(self._said(buffer))) from None
            failed.pop_all()
        assert self._outer is not None
        return self._outer, self._make_watchdog(buffer), buffer

    def _spawn(self, stack: ExitStack, writer: int, buffer: OutputBuffer) -> int:
        """Start bubblewrap and wait for its child; returns what `_let_go` needs."""
        uid = self._lease.uid if self._lease else None
        fds = self._descriptors(stack, bubblewrap.USER_ID if uid is None else uid)
        self._outer = Popen(
            bubblewrap.command(self._confinement, self._staged, uid, fds),
            env=bubblewrap.environment(self._confinement),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            cwd="/",
            pass_fds=(*self._confinement.pass_fds, *fds.all()),
        )
        assert self._status_pipe is not None
        self._status_pipe.close_writer()
        try:
            self.pid = self._status_pipe.child(START_TIMEOUT_S)
            self._first = os.pidfd_open(self.pid)
        except (ValueError, OSError) as error:
            raise SandboxUnavailable(diagnose(self._said(buffer) or str(error))) from None
        return fds.release

    def _descriptors(self, stack: ExitStack, inside_uid: int) -> bubblewrap.Descriptors:
        self._status_pipe = StatusPipe()
        block, release = os.pipe2(os.O_CLOEXEC)
        stack.callback(os.close, block)
        stack.callback(os.close, release)
        passwd, group = bubblewrap.user_files(inside_uid)
        program = seccomp.program(bool(self._confinement.devices))
        return bubblewrap.Descriptors(
            seccomp=stack.enter_context(_memory_file(program)),
            status=self._status_pipe.writer,
            block=block,
            release=release,
            passwd=stack.enter_context(_memory_file(passwd.encode())),
            group=stack.enter_context(_memory_file(group.encode())),
        )

    def _said(self, buffer: OutputBuffer) -> str:
        """What a bubblewrap that failed has printed."""
        assert self._outer is not None
        self._outer.kill()
        self._outer.wait()
        buffer.read()
        return buffer.text()

    def _restrain(self) -> None:
        """Before the program is executed: control groups and limits."""
        if self._groups is not None:
            self._groups.add(self.pid)
            self._freezer = self._groups.freezer()
        if self._freezer is None:
            self._freezer = SignalFreezer(self.pid)
        count = self._confinement.processes
        resource.prlimit(self.pid, resource.RLIMIT_NPROC, (count, count))
        resource.prlimit(self.pid, resource.RLIMIT_CORE, (0, 0))
        resource.prlimit(self.pid, resource.RLIMIT_MSGQUEUE, (0, 0))

    def _let_go(self, release: int) -> None:
        """Give the word, and wait until the first process inside dies with bubblewrap.

        It asks the kernel for that only now, right before it takes on the filter, which can be
        seen. If this process is killed before the word, nothing is ever executed.
        """
        os.write(release, b"!")
        deadline = time.monotonic() + START_TIMEOUT_S
        while not processes.has_filter(self.pid):
            if wait_readable(self._first, _STEP_S):
                break
            if time.monotonic() > deadline:
                raise ProcessLookupError("bubblewrap hangs")
        assert self._outer is not None
        assert self._status_pipe is not None
        if wait_readable(self._first, 0):
            self._outer.wait()
            if not self._status_pipe.program_ran():
                raise ProcessLookupError("bubblewrap could not execute the program")

    def _make_watchdog(self, buffer: OutputBuffer) -> Watchdog:
        groups = self._groups
        oom, priority = groups.oom_fd() if groups is not None else (-1, False)
        polled = None if oom >= 0 else self._confinement.memory_bytes
        assert self._outer is not None
        return Watchdog(
            Limits(self._confinement.wall_s, self._confinement.output_bytes, polled),
            buffer,
            ended=self._first,
            wake=self._wake,
            root=self.pid,
            oom=oom,
            oom_priority=priority,
        )

    def _end(self) -> None:
        """Killing the first process of a namespace kills all of it; its end is waited for by the
        kernel, so that once the first is gone nothing is left."""
        assert self._outer is not None
        self._killed = not wait_readable(self._first, 0)
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        self.freezer.thaw()
        wait_readable(self._first, math.inf)
        self._outer.wait()
        # When bubblewrap has ended first, its child is left to the system's first process to
        # collect; in a container that may be this one.
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        assert self._status_pipe is not None
        if not self._killed and not self._status_pipe.program_ran():
            self.fault = diagnose(self.output().decode(errors="replace").strip())

    def _clean(self) -> None:
        # After a failed start, both still wait. The outer one does not take the inner along yet.
        if self._first >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
        if self._outer is not None:
            self._outer.kill()
            self._outer.wait()
        if self._status_pipe is not None:
            self._status_pipe.close()
        if self._first >= 0:
            os.close(self._first)
        if self._groups is not None:
            self._groups.remove()
        if self._staged is not None:
            staging.unstage(self._staged)
        if self._lease is not None:
            self._lease.release()

    def _out_of_memory(self) -> bool:
        return self._groups is not None and self._groups.out_of_memory()


@contextmanager
def _memory_file(content: bytes) -> Generator[int]:
    fd = os.memfd_create("hotloop", os.MFD_CLOEXEC)
    try:
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)


@cache
def _sweep() -> None:
    """Once a process: what killed graders have left."""
    cgroup.sweep()
    staging.sweep()
