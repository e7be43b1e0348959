"""Starts a process behind bubblewrap.

The order matters. bubblewrap makes namespaces and mounts, tells the id of its first child and
waits; that child is moved into its control group and gets its limits; only then is the program
executed.
"""

from __future__ import annotations

import json
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

from hotloop.sandbox import bubblewrap, cgroup, seccomp, staging
from hotloop.sandbox.confinement import Confined, Confinement, SandboxUnavailable
from hotloop.sandbox.freezer import Freezer, SignalFreezer
from hotloop.sandbox.process import WatchedProcess
from hotloop.sandbox.requirements import diagnose, missing
from hotloop.sandbox.uids import UidLease, lease_uid
from hotloop.sandbox.watchdog import Limits, OutputBuffer, Watchdog, wait_readable

START_TIMEOUT_S = 20.0
MAX_STAGED_BYTES = 64 << 20


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
        with ExitStack() as stack:
            stack.callback(os.close, writer)
            release = self._spawn(stack, writer, buffer)
            stack.callback(os.close, release)
            self._restrain_or_kill()
        assert self._outer is not None
        return self._outer, self._make_watchdog(buffer), buffer

    def _spawn(self, stack: ExitStack, writer: int, buffer: OutputBuffer) -> int:
        """Start bubblewrap and wait for its child; closing the returned descriptor lets it go."""
        uid = self._lease.uid if self._lease else None
        inside_uid = bubblewrap.USER_ID if uid is None else uid
        devices = bool(self._confinement.devices)
        passwd, group = (text.encode() for text in bubblewrap.user_files(inside_uid))
        told, info = os.pipe2(os.O_CLOEXEC)
        block, release = os.pipe2(os.O_CLOEXEC)
        for fd in (told, block):
            stack.callback(os.close, fd)
        fds = bubblewrap.Descriptors(
            seccomp=stack.enter_context(_memory_file(seccomp.program(devices))),
            info=info,
            block=block,
            passwd=stack.enter_context(_memory_file(passwd)),
            group=stack.enter_context(_memory_file(group)),
        )
        try:
            self._outer = Popen(
                bubblewrap.command(self._confinement, self._staged, uid, fds),
                env=bubblewrap.environment(self._confinement),
                stdin=subprocess.DEVNULL,
                stdout=writer,
                stderr=writer,
                cwd="/",
                close_fds=True,
                pass_fds=(
                    *self._confinement.pass_fds,
                    *(fds.seccomp, fds.info, fds.block, fds.passwd, fds.group),
                ),
            )
        finally:
            os.close(info)
        try:
            self.pid = _first_child(told)
            self._first = os.pidfd_open(self.pid)
        except (ValueError, OSError) as error:
            os.close(release)
            self._outer.kill()
            self._outer.wait()
            buffer.drain()
            said = buffer.bytes().decode(errors="replace").strip()
            raise SandboxUnavailable(diagnose(said or str(error))) from None
        return release

    def _restrain_or_kill(self) -> None:
        try:
            self._restrain()
        except BaseException:
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
            raise

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
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        self.freezer.thaw()
        wait_readable(self._first, math.inf)
        self._outer.wait()
        # When bubblewrap has ended first, its child is left to the system's first process to collect;
        # in a container that may be this one.
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)

    def _clean(self) -> None:
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


def _first_child(told: int) -> int:
    """The id that bubblewrap tells; ValueError when it ends without telling."""
    text = b""
    deadline = time.monotonic() + START_TIMEOUT_S
    while True:
        left = deadline - time.monotonic()
        if not wait_readable(told, left):
            raise ValueError(f"bubblewrap was silent for {START_TIMEOUT_S:g} s")
        part = os.read(told, 4096)
        text += part
        if not part:
            return int(json.loads(text)["child-pid"])


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
