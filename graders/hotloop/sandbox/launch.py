"""Starts a process behind bubblewrap.

The order matters. bubblewrap creates namespaces and mounts, reports the pid of its first child and
waits. That child is moved into its control group and gets its limits. Only then is the program
executed.
"""

import os
import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import astuple
from subprocess import Popen

from hotloop.sandbox import bubblewrap, processes, seccomp
from hotloop.sandbox.confined import RestrainedProcess, sweep
from hotloop.sandbox.confinement import Confinement, SandboxUnavailable
from hotloop.sandbox.process import Confined, Ending
from hotloop.sandbox.requirements import diagnose, missing
from hotloop.sandbox.status import StatusPipe
from hotloop.sandbox.watchdog import OutputBuffer, wait_readable

START_TIMEOUT_S = 20.0
_STEP_S = 0.0003


def launch(confinement: Confinement) -> Confined:
    """Start a program in a sandbox.

    Raises SandboxUnavailable if this machine cannot confine it, SubmissionRefused if its files
    exceed the limits.
    """
    reason = missing()
    if reason:
        raise SandboxUnavailable(reason)
    sweep()
    process = BubblewrapProcess(confinement)
    process.begin()
    return process


class BubblewrapProcess(RestrainedProcess):
    """A program that bubblewrap executes."""

    def __init__(self, confinement: Confinement) -> None:
        super().__init__(confinement)
        self._outer: Popen[bytes] | None = None
        self._status_pipe: StatusPipe | None = None

    def _execute(self, writer: int, buffer: OutputBuffer) -> Ending:
        with ExitStack() as stack:
            release = self._spawn(stack, writer, buffer)
            try:
                self._restrain()
                self._let_go(release)
            except ProcessLookupError:
                raise SandboxUnavailable(diagnose(self._output_of_failure(buffer))) from None
        assert self._outer is not None
        return self._outer

    def _spawn(self, stack: ExitStack, writer: int, buffer: OutputBuffer) -> int:
        """Start bubblewrap and wait for its child. Returns the descriptor that `_let_go` needs."""
        uid = self.user
        fds = self._descriptors(stack, bubblewrap.USER_ID if uid is None else uid)
        self._outer = Popen(
            bubblewrap.command(self._confinement, self._staged, uid, fds),
            env=bubblewrap.environment(self._confinement),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            cwd="/",
            pass_fds=(*self._confinement.pass_fds, *astuple(fds)),
        )
        assert self._status_pipe is not None
        self._status_pipe.close_writer()
        try:
            self.pid = self._status_pipe.child(START_TIMEOUT_S)
            self._first = os.pidfd_open(self.pid)
        except (ValueError, OSError) as error:
            raise SandboxUnavailable(
                diagnose(self._output_of_failure(buffer) or str(error))
            ) from None
        return fds.release

    def _descriptors(self, stack: ExitStack, inside_uid: int) -> bubblewrap.Descriptors:
        self._status_pipe = StatusPipe()
        block, release = os.pipe2(os.O_CLOEXEC)
        stack.callback(os.close, block)
        stack.callback(os.close, release)
        passwd, group = bubblewrap.user_files(inside_uid)
        program = seccomp.program(bool(self._confinement.devices))
        return bubblewrap.Descriptors(
            seccomp=stack.enter_context(memory_file(program)),
            status=self._status_pipe.writer,
            block=block,
            release=release,
            passwd=stack.enter_context(memory_file(passwd.encode())),
            group=stack.enter_context(memory_file(group.encode())),
        )

    def _output_of_failure(self, buffer: OutputBuffer) -> str:
        """Return the output of a bubblewrap that failed, after killing it."""
        assert self._outer is not None
        self._outer.kill()
        self._outer.wait()
        buffer.read()
        return buffer.text()

    def _let_go(self, release: int) -> None:
        """Release bubblewrap's child, and wait until the child is set to die with bubblewrap.

        The child requests that from the kernel (PR_SET_PDEATHSIG) just before it installs the
        seccomp filter, which is visible from outside. If this process is killed before the release,
        nothing is ever executed.
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

    def _collect(self) -> None:
        assert self._outer is not None
        self._outer.wait()
        # If bubblewrap ended first, its child was reparented to init; in a container this process
        # may be init and must reap it.
        with suppress(ChildProcessError):
            os.waitpid(self.pid, 0)
        assert self._status_pipe is not None
        if not self._killed and not self._status_pipe.program_ran():
            self.fault = diagnose(self.output().decode(errors="replace").strip())

    def _clean_start(self) -> None:
        # After a failed start, the child does not yet die with bubblewrap.
        if self._outer is not None:
            self._outer.kill()
            self._outer.wait()
        if self._status_pipe is not None:
            self._status_pipe.close()


@contextmanager
def memory_file(content: bytes) -> Generator[int]:
    """Yield a descriptor from which `content` can be read; it is closed with the context."""
    fd = os.memfd_create("hotloop", os.MFD_CLOEXEC)
    try:
        os.write(fd, content)
        os.lseek(fd, 0, os.SEEK_SET)
        yield fd
    finally:
        os.close(fd)
