"""A confined process forked by a zygote, with the same limits as any other."""

import os
import resource
import socket
import struct
import time
from dataclasses import asdict
from typing import Any

from hotloop.core import wire
from hotloop.sandbox.confined import RestrainedProcess
from hotloop.sandbox.confinement import Confinement
from hotloop.sandbox.process import Ending
from hotloop.sandbox.watchdog import OutputBuffer
from hotloop.sandbox.zygote import plan
from hotloop.sandbox.zygote.parent import ZygoteProcess
from hotloop.sandbox.zygote.refusal import ChildLost, ZygoteRefused

START_TIMEOUT_S = 20.0
KILLED = 128 + 9
_STATUS_S = 5.0
"""Enough time to read the status that a process sent before it ended."""
_CREDENTIALS = struct.Struct("3i")
"""struct ucred: pid, uid, gid."""
_LIMITS = ("NOFILE", "STACK", "DATA", "FSIZE", "MEMLOCK", "AS", "CPU")


class _Status:
    """Exit status, as reported by the namespace's first process just before it ends."""

    code = KILLED

    def wait(self) -> int:
        """Return the exit status; 128 plus the signal's number if a signal ended the program."""
        return self.code


class ForkedProcess(RestrainedProcess):
    """Like BubblewrapProcess, for a program that runs in a fork instead of being executed."""

    def __init__(self, confinement: Confinement, zygote: ZygoteProcess) -> None:
        super().__init__(confinement)
        self.zygote = zygote
        self._reported_status = _Status()
        self._socket: socket.socket | None = None

    def _execute(self, writer: int, buffer: OutputBuffer) -> Ending:
        request = plan.request(self._confinement, self._staged, self.user, self.zygote)
        self._socket, theirs = socket.socketpair()
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
        with theirs:
            self.zygote.fork(theirs.fileno())
        try:
            self._meet(self._socket)
            self._restrain()
            self._inherit_ours()
            wire.send(self._socket, {"filter": request.filter})
            wire.send(self._socket, asdict(request), [writer, *self._confinement.pass_fds])
            self._expect(self._socket, "ready")
        except (wire.WireError, ProcessLookupError, ValueError) as error:
            buffer.read()
            reason = f"{error} {buffer.text()}".strip()
            raise ChildLost(f"a child of the zygote did not start: {reason}") from None
        return self._reported_status

    def _meet(self, sock: socket.socket) -> None:
        """Receive the child's first message and get its pid from the kernel (SCM_CREDENTIALS).

        The child then waits for an answer, so its pid is still valid when the pidfd is opened; if
        it is not, `_expect` fails.
        """
        deadline = time.monotonic() + START_TIMEOUT_S
        sock.settimeout(START_TIMEOUT_S)
        try:
            head, ancillary, _, _ = sock.recvmsg(
                wire.LENGTH.size, socket.CMSG_SPACE(_CREDENTIALS.size)
            )
        except TimeoutError:
            raise wire.WireTimeout("no answer in time") from None
        except OSError as error:
            raise wire.WireClosed(str(error)) from None
        finally:
            sock.settimeout(None)
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 0)
        if len(head) < wire.LENGTH.size:
            raise wire.WireClosed("it ended at once")
        sender = [data for _, kind, data in ancillary if kind == socket.SCM_CREDENTIALS]
        self._understand(wire.receive_rest(sock, head, deadline), "made")
        self.pid = _CREDENTIALS.unpack(sender[0])[0]
        self._first = os.pidfd_open(self.pid)

    def _expect(self, sock: socket.socket, word: str) -> None:
        self._understand(wire.receive(sock, time.monotonic() + START_TIMEOUT_S), word)

    def _understand(self, message: dict[str, Any], word: str) -> None:
        if word not in message:
            raise ZygoteRefused(str(message.get("refused", f"it said {message}")))

    def _inherit_ours(self) -> None:
        try:
            self._inherit()
        except PermissionError as error:
            raise ZygoteRefused(f"it cannot be given what its owner has: {error}") from None

    def _inherit(self) -> None:
        """Apply the limits, CPUs and niceness that a child would inherit from this process.

        It has inherited the zygote's instead.
        """
        for name in _LIMITS:
            limit = getattr(resource, f"RLIMIT_{name}")
            ours = resource.getrlimit(limit)
            if resource.prlimit(self.pid, limit) != ours:
                resource.prlimit(self.pid, limit, ours)
        cpus = os.sched_getaffinity(0)
        if os.sched_getaffinity(self.pid) != cpus:
            os.sched_setaffinity(self.pid, cpus)
        nice = os.getpriority(os.PRIO_PROCESS, 0)
        if os.getpriority(os.PRIO_PROCESS, self.pid) != nice:
            os.setpriority(os.PRIO_PROCESS, self.pid, nice)

    def _collect(self) -> None:
        assert self._socket is not None
        try:
            reported = wire.receive(self._socket, time.monotonic() + _STATUS_S)
            self._reported_status.code = int(reported["status"])
        except (wire.WireError, KeyError, ValueError):
            if not self._killed and not self._out_of_memory():
                self.fault = "the sandbox around the program ended by itself"

    def _clean_start(self) -> None:
        if self._socket is not None:
            self._socket.close()
