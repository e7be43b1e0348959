"""Processes for a candidate's code beside one of ours, which it can neither read nor write.

They are forked from a process that was forked from this one before it knew anything. What they say
comes through a socket, as JSON; what happens to them is decided here.
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
    """The candidate's code raised something; the message says what."""


class Nursery:
    """Where processes for the candidate's code come from."""

    def __init__(self) -> None:
        self._sock, theirs = socket.socketpair()
        if os.fork() == 0:
            _serve(theirs)
        theirs.close()
        # Nobody else of this user may look into this process from now on.
        ctypes.CDLL(None).prctl(PR_SET_DUMPABLE, 0, 0, 0, 0)

    def start(self, module: str, function: str, *arguments: Any) -> Child:
        """A new process that calls a function of ours, with a socket before the arguments."""
        ours, theirs = socket.socketpair()
        message = json.dumps({"module": module, "function": function, "arguments": arguments})
        with theirs:
            socket.send_fds(self._sock, [message.encode()], [theirs.fileno()])
            pid = json.loads(self._sock.recv(64))
        return Child(pid, ours)


class Child:
    """One such process."""

    def __init__(self, pid: int, sock: socket.socket) -> None:
        self.pid = pid
        self.sock = sock

    def kill(self) -> None:
        """At once, whatever it does; returns when it is gone."""
        try:
            os.kill(self.pid, signal.SIGKILL)
            while True:
                os.kill(self.pid, 0)
                time.sleep(0.001)
        except ProcessLookupError:
            self.sock.close()

    def ended(self, message: dict[str, Any]) -> object:
        """What its function returned, by its last message. The candidate's failure is raised."""
        error = message.get("error")
        if error is None:
            return message.get("value")
        if error[0] == "NotImplementedError":
            raise NotImplementedError(error[1])
        raise Failed(f"{error[0]}: {error[1]}")


def loaded(source: str, name: str) -> ModuleType:
    """The candidate's file at `source`, as a module of that name that others can import."""
    spec = importlib.util.spec_from_file_location(name, source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _serve(sock: socket.socket) -> None:
    """Fork a process for each message. Nothing of the judge's stays open here."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    _keep_only(sock)
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


def _keep_only(sock: socket.socket) -> None:
    kept = sock.fileno()
    os.closerange(3, kept)
    os.closerange(kept + 1, os.sysconf("SC_OPEN_MAX"))
