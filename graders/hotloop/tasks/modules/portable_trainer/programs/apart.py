"""Run the candidate's code in processes that cannot read or write this one.

They are forked from a process that was forked from this one before it held any secrets. They send
messages through a socket, as JSON; this process decides how they go on.
"""

from __future__ import annotations

import ctypes
import importlib.util
import json
import os
import signal
import socket
import sys
import time
from types import ModuleType
from typing import Any

import remote

PR_SET_DUMPABLE = 4


class Failed(RuntimeError):
    """The candidate's code raised an error; the message describes it."""


class Nursery:
    """Starts processes for the candidate's code."""

    def __init__(self) -> None:
        self._sock, theirs = socket.socketpair()
        if os.fork() == 0:
            _serve(theirs)
        theirs.close()
        # From now on, this user's other processes cannot read this one.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)

    def start(self, module: str, function: str, *arguments: Any) -> Child:
        """Start a process that calls our `function`, with a socket before the arguments."""
        ours, theirs = socket.socketpair()
        message = json.dumps({"module": module, "function": function, "arguments": arguments})
        with theirs:
            socket.send_fds(self._sock, [message.encode()], [theirs.fileno()])
            pid = json.loads(self._sock.recv(64))
        return Child(pid, ours)


class Child:
    """A process for the candidate's code."""

    def __init__(self, pid: int, sock: socket.socket) -> None:
        self.pid = pid
        self.sock = sock

    def kill(self) -> None:
        """Kill it at once; return when it is gone."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            while True:
                os.kill(self.pid, 0)
                time.sleep(0.001)
        except ProcessLookupError:
            self.sock.close()

    def ended(self, message: dict[str, Any]) -> object:
        """Return its function's value from its last message.

        Raises Failed, or NotImplementedError, if the candidate's code raised.
        """
        error = message.get("error")
        if error is None:
            return message.get("value")
        if error[0] == "NotImplementedError":
            raise NotImplementedError(error[1])
        raise Failed(f"{error[0]}: {error[1]}")


def loaded(source: str, name: str) -> ModuleType:
    """Load the candidate's file at `source` as a module that others can import by `name`."""
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _serve(sock: socket.socket) -> None:
    """Fork a process for each message. None of the judge's file descriptors stays open here."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    os.closerange(3, sock.fileno())
    os.closerange(sock.fileno() + 1, os.sysconf("SC_OPEN_MAX"))
    while True:
        data, fds, _, _ = socket.recv_fds(sock, 1 << 16, 1)
        if not data:
            os._exit(0)
        pid = os.fork()
        if pid == 0:
            sock.close()
            _live(json.loads(data), socket.socket(fileno=fds[0]))
        os.close(fds[0])
        sock.send(str(pid).encode())


def _live(message: dict[str, Any], sock: socket.socket) -> None:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    try:
        module = importlib.import_module(message["module"])
        value = getattr(module, message["function"])(sock, *message["arguments"])
        last = {"what": "ended", "value": value}
    except BaseException as error:  # noqa: BLE001 - a candidate's SystemExit is its failure, too
        last = {"what": "ended", "error": [type(error).__name__, str(error)[:300]]}
    try:
        remote.send(sock, last)
    finally:
        os._exit(0)
