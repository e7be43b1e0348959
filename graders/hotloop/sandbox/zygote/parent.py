"""The process that forks, started behind bubblewrap with the file system of every sandbox.

It also sees, read-only, the few host folders that contain what a child may need. It has read and
executed installed code only. When its owner ends, the kernel ends it, and with its pid namespace
all of its children.
"""

import array
import math
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from subprocess import Popen

from hotloop.sandbox import bubblewrap
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.freezer import Freezer, SignalFreezer
from hotloop.sandbox.launch import memory_file
from hotloop.sandbox.owner import state_folder
from hotloop.sandbox.process import Confined, Ending
from hotloop.sandbox.staging import STAGED
from hotloop.sandbox.status import StatusPipe
from hotloop.sandbox.watchdog import OutputBuffer, ProcessLimits, Watchdog, wait_readable
from hotloop.sandbox.zygote.refusal import ZygoteGone, ZygoteRefused

START_TIMEOUT_S = 120.0
"""Seconds from the start to the end of all imports, on a busy machine."""
SHARED = "/run/hotloop-zygote"
_OUTPUT_BYTES = 1 << 20
_TMP_BYTES = 1 << 20


class ZygoteProcess(Confined):
    """One zygote. `pid` is the first process in its namespaces."""

    level = "bubblewrap"

    def __init__(
        self, preload: Sequence[str], environment: Mapping[str, str], shared: Sequence[Path] = ()
    ) -> None:
        """shared: further host folders that may contain files for a child."""
        super().__init__()
        temporary = Path(tempfile.gettempdir())
        self.shared = tuple(f.resolve() for f in (temporary, state_folder(STAGED), *shared))
        self._preload = preload
        self._environment = environment
        self._outer: Popen[bytes] | None = None
        self._status_pipe: StatusPipe | None = None
        self._control: socket.socket | None = None
        self._turn = threading.Lock()
        self._first = -1

    @property
    def freezer(self) -> Freezer:
        """A SignalFreezer of the tree."""
        return SignalFreezer(self.pid)

    def fork(self, owner: int) -> None:
        """Fork a child that communicates through `owner`. Raises ZygoteGone if the zygote ended."""
        assert self._control is not None
        rights = [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [owner]))]
        try:
            with self._turn:
                self._control.sendmsg([b"f"], rights)
        except OSError as error:
            raise ZygoteGone(f"the zygote is gone ({error})") from None

    def inside(self, path: Path) -> str | None:
        """Return where the zygote sees a host file that a child gets; None if it cannot see it."""
        for number, folder in enumerate(self.shared):
            if folder == path or folder in path.parents:
                return str(Path(SHARED) / str(number) / path.relative_to(folder))
        return None

    def _start(self) -> tuple[Ending, Watchdog, OutputBuffer]:
        output, writer = os.pipe2(os.O_CLOEXEC)
        buffer = OutputBuffer(output, _OUTPUT_BYTES)
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with ExitStack() as failed, ExitStack() as stack:
            failed.callback(os.close, output)
            stack.callback(os.close, writer)
            stack.callback(theirs.close)
            outer = self._spawn(stack, writer, theirs.fileno())
            os.close(theirs.detach())
            self._greet(buffer)
            failed.pop_all()
        limits = ProcessLimits(math.inf, _OUTPUT_BYTES, None)
        watchdog = Watchdog(limits, buffer, ended=self._first, wake=self._wake, root=self.pid)
        return outer, watchdog, buffer

    def _spawn(self, stack: ExitStack, writer: int, control: int) -> Popen[bytes]:
        self._status_pipe = StatusPipe()
        uid = bubblewrap.USER_ID if os.geteuid() != 0 else 0
        names = bubblewrap.user_files(uid)
        passwd, group = (stack.enter_context(memory_file(text.encode())) for text in names)
        confinement = self._confinement(control)
        status = self._status_pipe.writer
        self._outer = Popen(
            bubblewrap.zygote_command(confinement, status, passwd, group),
            env=bubblewrap.environment(confinement),
            stdin=subprocess.DEVNULL,
            stdout=writer,
            stderr=writer,
            cwd="/",
            pass_fds=(control, status, passwd, group),
        )
        self._status_pipe.close_writer()
        return self._outer

    def _greet(self, buffer: OutputBuffer) -> None:
        assert self._control is not None
        assert self._status_pipe is not None
        try:
            self.pid = self._status_pipe.child(START_TIMEOUT_S)
            self._first = os.pidfd_open(self.pid)
            self._control.settimeout(START_TIMEOUT_S)
            greeting = self._control.recv(16)
            self._control.settimeout(None)
        except (ValueError, OSError) as error:
            buffer.read()
            raise ZygoteRefused(buffer.text()[-400:] or str(error)) from None
        if greeting != b"ready":
            buffer.read()
            raise ZygoteRefused(buffer.text()[-400:] or "it ended at once")

    def _confinement(self, control: int) -> Confinement:
        program = ("-m", "hotloop.worker.zygote", str(control), *self._preload)
        return Confinement(
            argv=(sys.executable, *program),
            environment=self._environment,
            read_only={f"{SHARED}/{number}": path for number, path in enumerate(self.shared)},
            writable={},
            files=None,
            memory_bytes=0,
            processes=0,
            tmp_bytes=_TMP_BYTES,
            wall_s=math.inf,
            output_bytes=_OUTPUT_BYTES,
        )

    def _end(self) -> None:
        with suppress(ProcessLookupError):
            signal.pidfd_send_signal(self._first, signal.SIGKILL)
        wait_readable(self._first, math.inf)
        assert self._outer is not None
        self._outer.wait()

    def _clean(self) -> None:
        if self._first >= 0:
            with suppress(ProcessLookupError):
                signal.pidfd_send_signal(self._first, signal.SIGKILL)
            os.close(self._first)
        if self._outer is not None:
            self._outer.kill()
            self._outer.wait()
        if self._status_pipe is not None:
            self._status_pipe.close()
        if self._control is not None:
            self._control.close()

    def _out_of_memory(self) -> bool:
        return False
